// Overflows its stack in its eighth turn.
package player;

import zombie.*;

public class ZombiesEnds implements Player {
    @Override
    public Action doTurn(PlayerContext context) {
        return context.getGameClock() == 8 ? doTurn(context) : Move.WEST;
    }
}
