// A first bot: keep away from zombies, shoot the one that comes too near. Name the class, and this file, as you like.
package player;

import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;
import zombie.Shoot;

public class MyBot implements Player {
    // One object serves all 50 of your players; doTurn is called for each of them, every turn.

    @Override
    public Action doTurn(PlayerContext context) {
        for (int distance = 1; distance <= 8; distance++) {
            for (int dx = -distance; dx <= distance; dx++) {
                for (int dy = -distance; dy <= distance; dy++) {
                    PlayerId who = context.lookAround(dx, dy);
                    if (who != null && who.getName().equals(Dead.ZOMBIENAME)) {
                        boolean shoots = distance <= 2 && context.getBullets() > 0;
                        return shoots ? new Shoot(who) : Move.inDirection(-dx, -dy);
                    }
                }
            }
        }
        return Move.STAY;
    }
}
