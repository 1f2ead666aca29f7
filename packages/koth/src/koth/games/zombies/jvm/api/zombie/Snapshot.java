package zombie;

/** What all players of a bot see in one turn, row after row. */
final class Snapshot {
    final Sight sight;
    /** Where each row's squares begin in {@code places} and {@code codes}; one more at the end. */
    final int[] starts;
    /** Squares on which somebody stands, numbered from west to east and then from north to south. */
    final short[] places;
    /** Who stands there. */
    final int[] codes;
    final int[] bullets;
    final int[] clock;
    final int[] x;
    final int[] y;
    /** What the bot has left of its time. */
    final double bank;
    final int strikes;

    Snapshot(
            Sight sight, short[] counts, short[] places, int[] codes, int[] bullets, int[] clock, int[] x, int[] y,
            double bank, int strikes) {
        this.sight = sight;
        this.starts = new int[counts.length + 1];
        for (int row = 0; row < counts.length; row++) {
            starts[row + 1] = starts[row] + (counts[row] & 0xFFFF);
        }
        this.places = places;
        this.codes = codes;
        this.bullets = bullets;
        this.clock = clock;
        this.x = x;
        this.y = y;
        this.bank = bank;
        this.strikes = strikes;
    }

    /** What one player sees: a code for each square, 0 where nobody stands. */
    int[] window(int row) {
        int[] window = new int[sight.width * sight.width];
        for (int i = starts[row]; i < starts[row + 1]; i++) {
            window[places[i] & 0xFFFF] = codes[i];
        }
        return window;
    }
}
