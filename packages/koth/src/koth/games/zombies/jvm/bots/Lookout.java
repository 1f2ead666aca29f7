// Lookout's players tell each other where zombies are: each flees from all that any of them saw, out of its sight too.
package player;

import java.util.HashMap;
import java.util.Map;
import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;

public class Lookout implements Player {
    /** Where zombies were seen this turn and the turn before, by square. */
    private Map<Integer, Integer> seen = new HashMap<>();
    private Map<Integer, Integer> seenBefore = new HashMap<>();
    private int clock = -1;

    @Override
    public Action doTurn(PlayerContext context) {
        if (context.getGameClock() != clock) {
            clock = context.getGameClock();
            seenBefore = seen;
            seen = new HashMap<>();
        }
        report(context);
        Move best = Move.STAY;
        double least = Double.MAX_VALUE;
        for (Move move : Move.values()) {
            if (move != Move.STAY && context.lookAround(move.x, move.y) != null) {
                continue;
            }
            double danger = danger(context, seen, move) + danger(context, seenBefore, move) / 2;
            if (danger < least) {
                least = danger;
                best = move;
            }
        }
        return best;
    }

    private void report(PlayerContext context) {
        int side = context.getBoardSize();
        for (int dx = -8; dx <= 8; dx++) {
            for (int dy = -8; dy <= 8; dy++) {
                PlayerId who = context.lookAround(dx, dy);
                if (who != null && who.getName().equals(Dead.ZOMBIENAME)) {
                    int x = Math.floorMod(context.getX() + dx, side);
                    int y = Math.floorMod(context.getY() + dy, side);
                    seen.put(y * side + x, who.getNumber());
                }
            }
        }
    }

    private static double danger(PlayerContext context, Map<Integer, Integer> zombies, Move move) {
        int side = context.getBoardSize();
        double danger = 0;
        for (int square : zombies.keySet()) {
            int dx = around(square % side - context.getX() - move.x, side);
            int dy = around(square / side - context.getY() - move.y, side);
            double distance = Math.max(0.5, Math.max(dx, dy));
            danger += 1 / (distance * distance);
        }
        return danger;
    }

    /** A distance on a board whose edges meet. */
    private static int around(int difference, int side) {
        int one = Math.floorMod(difference, side);
        return Math.min(one, side - one);
    }
}
