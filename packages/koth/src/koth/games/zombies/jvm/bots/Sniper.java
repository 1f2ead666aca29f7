// Sniper stands still, shoots the zombie that is two steps away, and walks only when its bullets are spent.
package player;

import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;
import zombie.Shoot;

public class Sniper implements Player {
    private static final int NEAR = 2;

    @Override
    public Action doTurn(PlayerContext context) {
        for (int distance = 1; distance <= NEAR; distance++) {
            for (int dx = -distance; dx <= distance; dx++) {
                for (int dy = -distance; dy <= distance; dy++) {
                    PlayerId who = context.lookAround(dx, dy);
                    if (who != null && who.getName().equals(Dead.ZOMBIENAME)) {
                        return context.getBullets() > 0 ? new Shoot(who) : step(context, -dx, -dy);
                    }
                }
            }
        }
        return Move.STAY;
    }

    private static Move step(PlayerContext context, int dx, int dy) {
        Move away = Move.inDirection(dx, dy);
        return context.lookAround(away.x, away.y) == null ? away : Move.randomMove();
    }
}
