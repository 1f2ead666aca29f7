# A first bot: keep away from zombies, shoot the one that comes too near.
java_import 'zombie.Move'
java_import 'zombie.Player'
java_import 'zombie.PlayerRegistry'
java_import 'zombie.Shoot'

class MyBot
  include Player

  # One object serves all 50 of your players; doTurn is called for each of them, every turn.
  def doTurn(context)
    squares = (-8..8).to_a.product((-8..8).to_a)
    zombies = squares.select { |x, y| context.lookAround(x, y)&.name == 'Zombie' }
    dx, dy = zombies.min_by { |x, y| [x.abs, y.abs].max }
    return Move::STAY unless dx
    near = [dx.abs, dy.abs].max <= 2 && context.bullets > 0
    near ? Shoot.new(context.lookAround(dx, dy)) : Move.inDirection(-dx, -dy)
  end
end

PlayerRegistry.registerPlayer('MyBot', MyBot.new)
