// Metronome sweeps in long diagonals, all its players in step, and turns a corner where something blocks the way.
package player;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;

public class Metronome implements Player {
    private static final Map<Move, Move> CORNERS = new EnumMap<>(Move.class);

    static {
        CORNERS.put(Move.NORTHEAST, Move.SOUTHEAST);
        CORNERS.put(Move.SOUTHEAST, Move.SOUTHWEST);
        CORNERS.put(Move.SOUTHWEST, Move.NORTHWEST);
        CORNERS.put(Move.NORTHWEST, Move.NORTHEAST);
    }

    private final Map<PlayerId, Move> going = new HashMap<>();

    @Override
    public Action doTurn(PlayerContext context) {
        Move move = going.getOrDefault(context.getId(), Move.NORTHEAST);
        for (int corner = 0; corner < 4 && isBlocked(context, move); corner++) {
            move = CORNERS.get(move);
        }
        going.put(context.getId(), move);
        return move;
    }

    /** Whether somebody stands on the next square, or a zombie waits within four steps of the way. */
    private static boolean isBlocked(PlayerContext context, Move move) {
        if (context.lookAround(move.x, move.y) != null) {
            return true;
        }
        for (int dx = 0; dx <= 4; dx++) {
            for (int dy = 0; dy <= 4; dy++) {
                PlayerId who = context.lookAround(dx * move.x, dy * move.y);
                if (who != null && who.getName().equals(Dead.ZOMBIENAME)) {
                    return true;
                }
            }
        }
        return false;
    }
}
