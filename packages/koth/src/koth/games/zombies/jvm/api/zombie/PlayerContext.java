package zombie;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** What one player knows this turn. */
public class PlayerContext {
    private final Snapshot snapshot;
    private final int row;
    private int[] window;
    private PlayerId[][] playField;
    private Set<PlayerId> shootable;

    PlayerContext(Snapshot snapshot, int row) {
        this.snapshot = snapshot;
        this.row = row;
    }

    /**
     * The square around the player, itself in the middle: [x][y], x from west to east, then y from north to south.
     * Null where nobody stands. The same array at each call.
     */
    public PlayerId[][] getPlayField() {
        if (playField == null) {
            Sight sight = snapshot.sight;
            int width = sight.width;
            playField = new PlayerId[width][width];
            for (int i = snapshot.starts[row]; i < snapshot.starts[row + 1]; i++) {
                int place = snapshot.places[i] & 0xFFFF;
                playField[place % width][place / width] = sight.who(snapshot.codes[i]);
            }
        }
        return playField;
    }

    /** Who stands so far to the east and to the south; null for nobody, or out of sight. */
    public PlayerId lookAround(int dx, int dy) {
        Sight sight = snapshot.sight;
        int vision = sight.vision;
        if (dx < -vision || dx > vision || dy < -vision || dy > vision) {
            return null;
        }
        if (window == null) {
            window = snapshot.window(row);
        }
        return sight.who(window[(dy + vision) * sight.width + dx + vision]);
    }

    /** Everybody within shooting range, zombies, bodies and itself included; it can't be changed. */
    public Set<PlayerId> shootablePlayers() {
        if (shootable == null) {
            int range = snapshot.sight.shootRange;
            Set<PlayerId> found = new HashSet<>();
            for (int dx = -range; dx <= range; dx++) {
                for (int dy = -range; dy <= range; dy++) {
                    PlayerId who = lookAround(dx, dy);
                    if (who != null) {
                        found.add(who);
                    }
                }
            }
            shootable = Collections.unmodifiableSet(found);
        }
        return shootable;
    }

    /** Its own identity. */
    public PlayerId getId() {
        return lookAround(0, 0);
    }

    public int getBullets() {
        return snapshot.bullets[row];
    }

    /** Turns played so far. */
    public int getGameClock() {
        return snapshot.clock[row];
    }

    public int getX() {
        return snapshot.x[row];
    }

    public int getY() {
        return snapshot.y[row];
    }

    /** Seconds beyond its budget that the bot may still take in this match. */
    public double getBank() {
        return snapshot.bank;
    }

    /** How many late answers in a row from now would end the bot. */
    public int getStrikes() {
        return snapshot.strikes;
    }

    /** Squares along an edge of the board. */
    public int getBoardSize() {
        return snapshot.sight.side;
    }
}
