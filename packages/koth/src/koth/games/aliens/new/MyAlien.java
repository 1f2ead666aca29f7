// A first species: feed on prey, keep the peace with whoever hits harder. Name the class, and this file, as you like.
package alien;

import planet.Move;

public class MyAlien extends Alien {
    // There is an object for each of your 100 instances; what is static is shared by all of them.

    public void setAbilityPoints(float[] abilities) {
        abilities[0] = 3; // life
        abilities[1] = 4; // strength
        abilities[3] = 3; // vision
    }

    public Move move(char[][] fields) {
        int centre = getVisionFieldsCount();
        for (Move move : Move.values()) {
            char there = fields[centre + move.getXOffset()][centre + move.getYOffset()];
            if (there != ' ' && there != 'A') {
                return move;
            }
        }
        return Move.getRandom();
    }

    public boolean wantToFight(int[] enemyAbilities) {
        return enemyAbilities[1] <= getStrengthLvl();
    }
}
