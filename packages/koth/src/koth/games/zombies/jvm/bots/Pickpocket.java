// Pickpocket lives off bodies: it stands beside one as long as no zombie comes near, and robs the armed of the next.
package player;

import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;
import zombie.Shoot;

public class Pickpocket implements Player {
    @Override
    public Action doTurn(PlayerContext context) {
        int[] zombie = nearest(context, Dead.ZOMBIENAME);
        if (zombie != null && distance(zombie) <= 2) {
            return context.getBullets() > 0
                    ? new Shoot(context.lookAround(zombie[0], zombie[1]))
                    : Move.inDirection(-zombie[0], -zombie[1]);
        }
        int[] stranger = nearest(context, null);
        if (stranger != null && distance(stranger) <= 2 && context.getBullets() > 1) {
            return new Shoot(context.lookAround(stranger[0], stranger[1]));
        }
        if (zombie != null && distance(zombie) <= 5) {
            return Move.inDirection(-zombie[0], -zombie[1]);
        }
        int[] body = nearest(context, Dead.DEADBODYNAME);
        return body == null || distance(body) == 1 ? Move.STAY : Move.inDirection(body[0], body[1]);
    }

    /** Where the nearest one of this name stands, (dx, dy); without a name, the nearest player of another bot. */
    private static int[] nearest(PlayerContext context, String name) {
        int[] found = null;
        for (int dx = -8; dx <= 8; dx++) {
            for (int dy = -8; dy <= 8; dy++) {
                PlayerId who = context.lookAround(dx, dy);
                int[] place = {dx, dy};
                if (who != null && (name == null ? isStranger(context, who) : who.getName().equals(name))
                        && (found == null || distance(place) < distance(found))) {
                    found = place;
                }
            }
        }
        return found;
    }

    private static boolean isStranger(PlayerContext context, PlayerId who) {
        String name = who.getName();
        return !name.equals(Dead.ZOMBIENAME) && !name.equals(Dead.DEADBODYNAME) && !name.equals(context.getId().getName());
    }

    private static int distance(int[] place) {
        return Math.max(Math.abs(place[0]), Math.abs(place[1]));
    }
}
