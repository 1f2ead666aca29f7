package zombie;

/** What all players of a bot see in one turn, row after row. */
final class Snapshot {
    final Sight sight;
    final int[] windows;
    final int[] bullets;
    final int[] clock;
    final int[] x;
    final int[] y;

    Snapshot(Sight sight, int[] windows, int[] bullets, int[] clock, int[] x, int[] y) {
        this.sight = sight;
        this.windows = windows;
        this.bullets = bullets;
        this.clock = clock;
        this.x = x;
        this.y = y;
    }
}
