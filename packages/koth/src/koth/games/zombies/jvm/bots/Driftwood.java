// Driftwood is pushed away by every zombie it sees, the harder the nearer it is, and drifts where the sum points.
package player;

import zombie.Action;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;

public class Driftwood implements Player {
    @Override
    public Action doTurn(PlayerContext context) {
        PlayerId[][] field = context.getPlayField();
        int centre = field.length / 2;
        double pushX = 0;
        double pushY = 0;
        for (int x = 0; x < field.length; x++) {
            for (int y = 0; y < field.length; y++) {
                PlayerId who = field[x][y];
                if (who != null && who.getName().equals(Dead.ZOMBIENAME)) {
                    int dx = x - centre;
                    int dy = y - centre;
                    double square = dx * dx + dy * dy;
                    pushX -= dx / square;
                    pushY -= dy / square;
                }
            }
        }
        int x = Math.abs(pushX) < Math.abs(pushY) / 3 ? 0 : (int) Math.signum(pushX);
        int y = Math.abs(pushY) < Math.abs(pushX) / 3 ? 0 : (int) Math.signum(pushY);
        Move move = Move.inDirection(x, y);
        return context.lookAround(move.x, move.y) == null ? move : Move.STAY;
    }
}
