package planet;

import java.util.Random;

/** A step to one of the eight neighbours, or none. x grows to the east, y to the south. */
public enum Move {
    NORTH(0, -1),
    NORTHEAST(1, -1),
    EAST(1, 0),
    SOUTHEAST(1, 1),
    SOUTH(0, 1),
    SOUTHWEST(-1, 1),
    WEST(-1, 0),
    NORTHWEST(-1, -1),
    STAY(0, 0);

    private static final Move[] ALL = values();
    private static final Random RANDOM = new Random();

    private final int x;
    private final int y;

    Move(int x, int y) {
        this.x = x;
        this.y = y;
    }

    /** Squares to the east: -1, 0 or 1. */
    public int getXOffset() {
        return x;
    }

    /** Squares to the south: -1, 0 or 1. */
    public int getYOffset() {
        return y;
    }

    /** One of the nine, all alike. */
    public static Move getRandom() {
        return ALL[RANDOM.nextInt(ALL.length)];
    }

    static void seed(long seed) {
        RANDOM.setSeed(seed);
    }
}
