// A first bot: keep away from zombies, shoot the one that comes too near. Name the class as you like.
package player

import zombie.Action
import zombie.Dead
import zombie.Move
import zombie.Player
import zombie.PlayerContext
import zombie.Shoot

class MyBot : Player {
    // One object serves all 50 of your players; doTurn is called for each of them, every turn.

    override fun doTurn(context: PlayerContext): Action {
        for (distance in 1..8) for (dx in -distance..distance) for (dy in -distance..distance) {
            val who = context.lookAround(dx, dy)
            if (who != null && who.name == Dead.ZOMBIENAME) {
                return if (distance <= 2 && context.bullets > 0) Shoot(who) else Move.inDirection(-dx, -dy)
            }
        }
        return Move.STAY
    }
}
