// Acrobat (Scala) tries every pair of two steps and begins the pair that ends the farthest from all zombies.
package player

import zombie.{Action, Dead, Move, Player, PlayerContext, Shoot}

class Acrobat extends Player {
  def doTurn(context: PlayerContext): Action = {
    val zombies = for {
      dx <- -8 to 8
      dy <- -8 to 8
      who <- Option(context.lookAround(dx, dy))
      if who.getName == Dead.ZOMBIENAME
    } yield (dx, dy, who)

    def gap(x: Int, y: Int): Int =
      if (zombies.isEmpty) 9 else zombies.map { case (dx, dy, _) => math.max((dx - x).abs, (dy - y).abs) }.min

    def free(x: Int, y: Int): Boolean = context.lookAround(x, y) == null || x == 0 && y == 0

    zombies.find { case (dx, dy, _) => math.max(dx.abs, dy.abs) <= 1 } match {
      case Some((_, _, who)) if context.getBullets > 0 => new Shoot(who)
      case _ =>
        val firsts = Move.STAY +: Move.values.toSeq.filter(move => free(move.x, move.y))
        firsts.maxBy { first =>
          val ends = Move.values.map(next => (first.x + next.x, first.y + next.y)).filter { case (x, y) => free(x, y) }
          val best = if (ends.isEmpty) 0 else ends.map { case (x, y) => gap(x, y) }.max
          10 * math.min(gap(first.x, first.y), 3) + best
        }
    }
  }
}
