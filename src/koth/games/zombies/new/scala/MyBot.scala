// A first bot: keep away from zombies, shoot the one that comes too near. Name the class as you like.
package player

import zombie.{Action, Dead, Move, Player, PlayerContext, Shoot}

class MyBot extends Player {
  // One object serves all 50 of your players; doTurn is called for each of them, every turn.

  def doTurn(context: PlayerContext): Action = {
    val zombies = for {
      dx <- -8 to 8
      dy <- -8 to 8
      who <- Option(context.lookAround(dx, dy))
      if who.getName == Dead.ZOMBIENAME
    } yield (math.max(dx.abs, dy.abs), dx, dy, who)
    if (zombies.isEmpty) return Move.STAY
    val (distance, dx, dy, nearest) = zombies.minBy(_._1)
    if (distance <= 2 && context.getBullets > 0) new Shoot(nearest) else Move.inDirection(-dx, -dy)
  }
}
