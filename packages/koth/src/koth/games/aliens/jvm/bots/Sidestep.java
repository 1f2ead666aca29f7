// Sidestep looks far, steps to the neighbouring square with the most empty squares around it, and seeks peace.
package alien;

import planet.Move;

public class Sidestep extends Alien {
    public void setAbilityPoints(float[] abilities) {
        abilities[2] = 5;
        abilities[3] = 5;
    }

    public Move move(char[][] fields) {
        int centre = getVisionFieldsCount();
        Move best = Move.getRandom();
        int fewest = Integer.MAX_VALUE;
        for (Move move : Move.values()) {
            int others = 0;
            for (int dx = -2; dx <= 2; dx++) {
                for (int dy = -2; dy <= 2; dy++) {
                    int x = centre + move.getXOffset() + dx;
                    int y = centre + move.getYOffset() + dy;
                    boolean inside = x >= 0 && y >= 0 && x < fields.length && y < fields.length;
                    boolean itself = x == centre && y == centre;
                    others += inside && !itself && fields[x][y] != ' ' ? (dx == 0 && dy == 0 ? 9 : 1) : 0;
                }
            }
            if (others < fewest) {
                fewest = others;
                best = move;
            }
        }
        return best;
    }

    public boolean wantToFight(int[] enemyAbilities) {
        return false;
    }
}
