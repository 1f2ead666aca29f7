// Throws in all three of its methods, each now and then.
package alien;

import planet.Move;

public class AliensThrows extends Alien {
    private static int born;

    public void setAbilityPoints(float[] abilities) {
        if (born++ % 10 == 9) {
            throw new IllegalStateException("planned");
        }
        abilities[0] = 5;
        abilities[1] = 5;
    }

    public Move move(char[][] fields) {
        int others = 0;
        for (char[] column : fields) {
            for (char letter : column) {
                others += letter == ' ' ? 0 : 1;
            }
        }
        return Move.values()[others % 3 == 2 ? 99 : others * 2];
    }

    public boolean wantToFight(int[] enemyAbilities) {
        return new boolean[] {true, false, true}[enemyAbilities[1] % 4];
    }
}
