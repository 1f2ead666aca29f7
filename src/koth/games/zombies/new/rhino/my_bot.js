// A first bot: keep away from zombies, shoot the one that comes too near.
var Move = Packages.zombie.Move;
var Player = Packages.zombie.Player;
var PlayerRegistry = Packages.zombie.PlayerRegistry;
var Shoot = Packages.zombie.Shoot;

// One object serves all 50 of your players; doTurn is called for each of them, every turn.
PlayerRegistry.registerPlayer("MyBot", new Player({
    doTurn: function (context) {
        for (var distance = 1; distance <= 8; distance++) {
            for (var dx = -distance; dx <= distance; dx++) {
                for (var dy = -distance; dy <= distance; dy++) {
                    var who = context.lookAround(dx, dy);
                    if (who !== null && who.name == "Zombie") {
                        var shoots = distance <= 2 && context.bullets > 0;
                        return shoots ? new Shoot(who) : Move.inDirection(-dx, -dy);
                    }
                }
            }
        }
        return Move.STAY;
    }
}));
