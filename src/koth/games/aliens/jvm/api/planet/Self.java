package planet;

/** What the instances of one question know of themselves, row after row. */
final class Self {
    final int[] levels;
    final int[] hp;
    final int[] sight;
    final int[] blur;

    Self(int[] levels, int[] hp, int[] sight, int[] blur) {
        this.levels = levels;
        this.hp = hp;
        this.sight = sight;
        this.blur = blur;
    }
}
