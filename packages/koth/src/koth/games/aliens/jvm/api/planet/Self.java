package planet;

/** What the instances of one question know of themselves, row after row. */
final class Self {
    final int[] levels;
    final int[] hp;
    final int[] sight;
    final int[] blur;
    /** What the bot has left of its time. */
    final double bank;
    final int strikes;

    /** Of those who have no ability points yet. */
    static Self newborn(double bank, int strikes) {
        int[] one = {1};
        return new Self(new int[] {1, 1, 1, 1, 1}, new int[] {10}, one, one, bank, strikes);
    }

    Self(int[] levels, int[] hp, int[] sight, int[] blur, double bank, int strikes) {
        this.levels = levels;
        this.hp = hp;
        this.sight = sight;
        this.blur = blur;
        this.bank = bank;
        this.strikes = strikes;
    }
}
