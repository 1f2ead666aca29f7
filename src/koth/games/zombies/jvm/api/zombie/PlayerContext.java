package zombie;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** What one player knows this turn. */
public class PlayerContext {
    private final Sight sight;
    private final int[] window;
    private final int start;
    private final PlayerId id;
    private final int bullets;
    private final int gameClock;
    private final int x;
    private final int y;
    private PlayerId[][] playField;
    private Set<PlayerId> shootable;

    PlayerContext(Sight sight, int[] window, int start, int bullets, int gameClock, int x, int y) {
        this.sight = sight;
        this.window = window;
        this.start = start;
        this.id = sight.who(window[start + (sight.width + 1) * sight.vision]);
        this.bullets = bullets;
        this.gameClock = gameClock;
        this.x = x;
        this.y = y;
    }

    /**
     * The square around the player, itself in the middle: [x][y], x from west to east, then y from north to south.
     * Null where nobody stands. The same array at each call.
     */
    public PlayerId[][] getPlayField() {
        if (playField == null) {
            int width = sight.width;
            playField = new PlayerId[width][width];
            for (int i = 0; i < width; i++) {
                for (int j = 0; j < width; j++) {
                    playField[i][j] = sight.who(window[start + j * width + i]);
                }
            }
        }
        return playField;
    }

    /** Who stands so far to the east and to the south; null for nobody, or out of sight. */
    public PlayerId lookAround(int dx, int dy) {
        int vision = sight.vision;
        if (dx < -vision || dx > vision || dy < -vision || dy > vision) {
            return null;
        }
        return sight.who(window[start + (dy + vision) * sight.width + dx + vision]);
    }

    /** Everybody within shooting range, zombies, bodies and itself included; it can't be changed. */
    public Set<PlayerId> shootablePlayers() {
        if (shootable == null) {
            int range = sight.shootRange;
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
        return id;
    }

    public int getBullets() {
        return bullets;
    }

    /** Turns played so far. */
    public int getGameClock() {
        return gameClock;
    }

    public int getX() {
        return x;
    }

    public int getY() {
        return y;
    }

    /** Squares along an edge of the board. */
    public int getBoardSize() {
        return sight.side;
    }
}
