# Garnet (JRuby) stays near its own kind, so that a zombie meets several guns, and shoots the nearest zombie.
java_import 'zombie.Move'
java_import 'zombie.Player'
java_import 'zombie.PlayerRegistry'
java_import 'zombie.Shoot'

class Garnet
  include Player

  def doTurn(context)
    around = seen(context)
    zombies = around.select { |_, _, who| who.name == 'Zombie' }
    friends = around.select { |_, _, who| who.name == context.id.name }
    dx, dy, nearest = zombies.min_by { |x, y, _| [x.abs, y.abs].max }
    if nearest && [dx.abs, dy.abs].max <= 3
      return context.bullets > 0 ? Shoot.new(nearest) : Move.inDirection(-dx, -dy)
    end
    x, y, = friends.min_by { |fx, fy, _| [fx.abs, fy.abs].max }
    x && [x.abs, y.abs].max > 2 ? Move.inDirection(x, y) : Move::STAY
  end

  def seen(context)
    squares = (-8..8).to_a.product((-8..8).to_a) - [[0, 0]]
    squares.map { |x, y| [x, y, context.lookAround(x, y)] }.select { |_, _, who| who }
  end
end

PlayerRegistry.registerPlayer('garnet', Garnet.new)
