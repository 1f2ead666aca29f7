// Dandy (Groovy) keeps three squares of distance to everybody, zombie or not, and never fires a shot.
package player

import zombie.Action
import zombie.Move
import zombie.Player
import zombie.PlayerContext

class Dandy implements Player {
    Action doTurn(PlayerContext context) {
        def close = []
        for (dx in -3..3) {
            for (dy in -3..3) {
                if ((dx || dy) && context.lookAround(dx, dy)) {
                    close << [dx, dy]
                }
            }
        }
        if (!close) {
            return Move.STAY
        }
        Move away = Move.inDirection(-close.sum { it[0] }, -close.sum { it[1] })
        context.lookAround(away.x, away.y) ? Move.randomMove() : away
    }
}
