package koth.jvm;

/** Random orders that repeat with their seed; fast even before this class is compiled. */
public final class Shuffle {
    private long state;

    public Shuffle(long seed) {
        state = seed;
    }

    /** Return the numbers from 0 up to {@code count}, exclusive, in random order. */
    public int[] order(int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int other = (int) ((state >>> 33) * (i + 1) >>> 31);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }
}
