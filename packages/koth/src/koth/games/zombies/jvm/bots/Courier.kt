// Courier (Kotlin) runs in one direction that its players agree on, around whatever stands in the way.
package player

import zombie.Action
import zombie.Dead
import zombie.Move
import zombie.Player
import zombie.PlayerContext
import zombie.Shoot

class Courier : Player {
    private val headings = listOf(Move.EAST, Move.SOUTHEAST, Move.NORTHEAST, Move.SOUTH, Move.NORTH, Move.WEST)

    override fun doTurn(context: PlayerContext): Action {
        val near = context.shootablePlayers().firstOrNull { it.name == Dead.ZOMBIENAME && gap(context, it.number) <= 1 }
        if (near != null && context.bullets > 0) return Shoot(near)
        return headings.filter { context.lookAround(it.x, it.y) == null }.minBy { danger(context, it) } ?: Move.STAY
    }

    private fun gap(context: PlayerContext, number: Int): Int {
        var least = 9
        for (dx in -5..5) for (dy in -5..5) {
            if (context.lookAround(dx, dy)?.number == number) least = minOf(least, maxOf(Math.abs(dx), Math.abs(dy)))
        }
        return least
    }

    private fun danger(context: PlayerContext, move: Move): Int {
        var zombies = 0
        for (dx in -3..3) for (dy in -3..3) {
            if (context.lookAround(move.x + dx, move.y + dy)?.name == Dead.ZOMBIENAME) zombies++
        }
        return zombies
    }
}
