package zombie;

/** The constants of the game as the contest was held. */
public final class Constants {
    public static final int VISION_RANGE = 8;
    public static final int SHOOT_RANGE = 5;
    public static final int STARTING_BULLETS = 3;
    public static final int VISION_WIDTH = 2 * VISION_RANGE + 1;
    /** Where the player itself stands in its play field. */
    public static final int CENTRE_OF_VISION = VISION_RANGE;
    public static final int PLAYERS_PER_SPECIES = 50;
    /** Players per square when the game starts. */
    public static final double PLAYER_DENSITY = 0.06;

    private Constants() {}
}
