// Skulker (JavaScript on Rhino) keeps to the emptiest side of what it sees, and shoots only who stands next to it.
var Move = Packages.zombie.Move;
var Player = Packages.zombie.Player;
var PlayerRegistry = Packages.zombie.PlayerRegistry;
var Shoot = Packages.zombie.Shoot;

function crowd(context, move) {
    var sum = 0;
    for (var dx = -8; dx <= 8; dx++) {
        for (var dy = -8; dy <= 8; dy++) {
            var who = context.lookAround(dx, dy);
            if (who !== null && !(dx === 0 && dy === 0)) {
                var away = Math.max(Math.abs(dx - move.x), Math.abs(dy - move.y), 0.5);
                sum += (who.name == "Zombie" ? 5 : 1) / (away * away);
            }
        }
    }
    return sum;
}

PlayerRegistry.registerPlayer("Skulker", new Player({
    doTurn: function (context) {
        var best = Move.STAY;
        var least = Infinity;
        for each (var move in Move.values()) {
            var who = context.lookAround(move.x, move.y);
            if (who !== null && who.name == "Zombie" && context.bullets > 0) {
                return new Shoot(who);
            }
            var here = who === null || move == Move.STAY ? crowd(context, move) : Infinity;
            if (here < least) {
                least = here;
                best = move;
            }
        }
        return best;
    }
}));
