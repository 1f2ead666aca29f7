// Oyster puts all it has into defense, never moves and fights nobody who looks stronger than its own blows.
package alien;

import planet.Move;

public class Oyster extends Alien {
    public void setAbilityPoints(float[] abilities) {
        abilities[1] = 2;
        abilities[2] = 8;
    }

    public Move move(char[][] fields) {
        return Move.STAY;
    }

    public boolean wantToFight(int[] enemyAbilities) {
        return enemyAbilities[1] <= getStrengthLvl() + 2;
    }
}
