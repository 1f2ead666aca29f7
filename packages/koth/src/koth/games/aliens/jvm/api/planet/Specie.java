package planet;

/** One living instance, and what it knows of itself: up to date whenever one of its methods is called. */
public abstract class Specie {
    private static final Self NEWBORN = Self.newborn(0, 0);

    private Self self = NEWBORN;
    private int row;

    /** Asked once: put points into the five zeros, for life, strength, defense, vision and cleverness; 10 in all. */
    public abstract void setAbilityPoints(float[] abilities);

    /**
     * Asked every round. {@code fields[x][y]} is 'A' for an alien, the initial of a prey, or ' '; the instance itself
     * is in the middle, at {@code fields[getVisionFieldsCount()][getVisionFieldsCount()]}.
     */
    public abstract Move move(char[][] fields);

    /** Asked at every meeting: the enemy's levels of life, strength, defense and vision, each blurred. */
    public abstract boolean wantToFight(int[] enemyAbilities);

    /** How it is seen by others. */
    public abstract char getRepresentedChar();

    public final int getLifeLvl() {
        return level(0);
    }

    public final int getStrengthLvl() {
        return level(1);
    }

    public final int getDefenseLvl() {
        return level(2);
    }

    public final int getVisionLvl() {
        return level(3);
    }

    public final int getClevernessLvl() {
        return level(4);
    }

    /** How many squares it sees in every direction. */
    public final int getVisionFieldsCount() {
        return self.sight[row];
    }

    /** Enemies are told its levels, each increased by a random number below this. */
    public final int getClevernessBlur() {
        return self.blur[row] + 1;
    }

    public final int getCurrentHp() {
        return self.hp[row];
    }

    /** Seconds beyond its budget that the bot may still take in this match. */
    public final double getBank() {
        return self.bank;
    }

    /** How many late answers in a row from now would end the bot. */
    public final int getStrikes() {
        return self.strikes;
    }

    private int level(int ability) {
        return self.levels[5 * row + ability];
    }

    /** What this instance knows of itself stands in this row. */
    final void knows(Self about, int place) {
        self = about;
        row = place;
    }
}
