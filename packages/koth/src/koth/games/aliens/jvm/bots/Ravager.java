// Ravager walks to the nearest prey it sees, keeps off other aliens while it is weak, and fights once it has fed.
package alien;

import planet.Move;

public class Ravager extends Alien {
    /** Shared by all instances: how often one of them has met somebody. */
    private static int meetings;

    public void setAbilityPoints(float[] abilities) {
        abilities[0] = 2.5f;
        abilities[1] = 4.5f;
        abilities[3] = 3;
    }

    public Move move(char[][] fields) {
        int centre = getVisionFieldsCount();
        Move best = Move.STAY;
        int most = Integer.MIN_VALUE;
        for (Move move : Move.values()) {
            int worth = 0;
            for (int x = 0; x < fields.length; x++) {
                for (int y = 0; y < fields.length; y++) {
                    int dx = x - centre;
                    int dy = y - centre;
                    if (fields[x][y] == ' ' || dx == 0 && dy == 0) {
                        continue;
                    }
                    int distance = Math.max(Math.abs(dx - move.getXOffset()), Math.abs(dy - move.getYOffset()));
                    int like = fields[x][y] != 'A' ? 3 : isStrong() ? 1 : -2;
                    worth += like * (8 - distance);
                }
            }
            if (worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    public boolean wantToFight(int[] enemyAbilities) {
        meetings++;
        int danger = enemyAbilities[1] + enemyAbilities[2];
        return isStrong() || danger < getStrengthLvl() + (meetings > 1000 ? 1 : 2);
    }

    private boolean isStrong() {
        return getStrengthLvl() > 8 && getCurrentHp() > 25;
    }
}
