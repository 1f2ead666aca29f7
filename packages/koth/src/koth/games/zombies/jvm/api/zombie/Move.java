package zombie;

import java.util.Random;

/**
 * A step to one of the eight neighbours, or none. x grows to the east, y to the south.
 *
 * <p>In the ruleset {@code original} the constants stand in another order.
 */
public enum Move implements Action {
    NORTHWEST,
    NORTH,
    NORTHEAST,
    EAST,
    STAY,
    WEST,
    SOUTHEAST,
    SOUTH,
    SOUTHWEST;

    private static final Move[] ALL = values();
    private static final Random RANDOM = new Random();

    /** Squares to the east: -1, 0 or 1. */
    public final int x;
    /** Squares to the south: -1, 0 or 1. */
    public final int y;

    // The offsets follow from the name: in another ruleset the names are dealt out in another order.
    Move() {
        x = name().endsWith("EAST") ? 1 : name().endsWith("WEST") ? -1 : 0;
        y = name().startsWith("SOUTH") ? 1 : name().startsWith("NORTH") ? -1 : 0;
    }

    /** One of the nine, all alike. */
    public static Move randomMove() {
        return ALL[RANDOM.nextInt(ALL.length)];
    }

    /** The move whose step has the signs of x and y. */
    public static Move inDirection(int x, int y) {
        for (Move move : ALL) {
            if (move.x == Integer.signum(x) && move.y == Integer.signum(y)) {
                return move;
            }
        }
        throw new AssertionError();
    }

    static void seed(long seed) {
        RANDOM.setSeed(seed);
    }
}
