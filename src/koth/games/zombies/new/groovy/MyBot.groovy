// A first bot: keep away from zombies, shoot the one that comes too near. Name the class as you like.
package player

import zombie.Action
import zombie.Dead
import zombie.Move
import zombie.Player
import zombie.PlayerContext
import zombie.Shoot

class MyBot implements Player {
    // One object serves all 50 of your players; doTurn is called for each of them, every turn.

    Action doTurn(PlayerContext context) {
        for (distance in 1..8) {
            for (dx in -distance..distance) {
                for (dy in -distance..distance) {
                    def who = context.lookAround(dx, dy)
                    if (who?.name == Dead.ZOMBIENAME) {
                        return distance <= 2 && context.bullets > 0 ? new Shoot(who) : Move.inDirection(-dx, -dy)
                    }
                }
            }
        }
        return Move.STAY
    }
}
