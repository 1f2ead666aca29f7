// Mortician builds shelters: it shoots what comes near and hides where the most bodies stand around it.
package player;

import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;
import zombie.Shoot;

public class Mortician implements Player {
    @Override
    public Action doTurn(PlayerContext context) {
        PlayerId near = nearestZombie(context, 3);
        if (near != null && context.getBullets() > 0) {
            return new Shoot(near);
        }
        Move best = Move.STAY;
        double most = Double.NEGATIVE_INFINITY;
        for (Move move : Move.values()) {
            if (move != Move.STAY && context.lookAround(move.x, move.y) != null) {
                continue;
            }
            double worth = shelter(context, move.x, move.y) - danger(context, move.x, move.y);
            if (worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    private static PlayerId nearestZombie(PlayerContext context, int range) {
        for (int distance = 1; distance <= range; distance++) {
            for (int dx = -distance; dx <= distance; dx++) {
                for (int dy = -distance; dy <= distance; dy++) {
                    if (is(context.lookAround(dx, dy), Dead.ZOMBIENAME)) {
                        return context.lookAround(dx, dy);
                    }
                }
            }
        }
        return null;
    }

    /** Bodies on the eight squares around a place. */
    private static int shelter(PlayerContext context, int x, int y) {
        int bodies = 0;
        for (Move next : Move.values()) {
            bodies += is(context.lookAround(x + next.x, y + next.y), Dead.DEADBODYNAME) ? 1 : 0;
        }
        return bodies;
    }

    private static double danger(PlayerContext context, int x, int y) {
        double danger = 0;
        for (int dx = -8; dx <= 8; dx++) {
            for (int dy = -8; dy <= 8; dy++) {
                if (is(context.lookAround(dx, dy), Dead.ZOMBIENAME)) {
                    int distance = Math.max(Math.abs(dx - x), Math.abs(dy - y));
                    danger += 8.0 / Math.max(1, distance * distance);
                }
            }
        }
        return danger;
    }

    private static boolean is(PlayerId who, String name) {
        return who != null && who.getName().equals(name);
    }
}
