// Ends its process at its fiftieth meeting.
package alien;

import planet.Move;

public class AliensExits extends Alien {
    private static int meetings;

    public void setAbilityPoints(float[] abilities) {
        abilities[2] = 10;
    }

    public Move move(char[][] fields) {
        return Move.EAST;
    }

    public boolean wantToFight(int[] enemyAbilities) {
        if (++meetings == 50) {
            System.exit(3);
        }
        return enemyAbilities[1] < 4;
    }
}
