// Cartographer floods the map from all zombies at once and walks to where they need the longest to come.
package player;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import zombie.Action;
import zombie.Constants;
import zombie.Dead;
import zombie.Move;
import zombie.Player;
import zombie.PlayerContext;
import zombie.PlayerId;

public class Cartographer implements Player {
    private static final int WIDTH = Constants.VISION_WIDTH;
    private static final int FAR = 99;

    @Override
    public Action doTurn(PlayerContext context) {
        int[][] steps = stepsOfZombies(context.getPlayField());
        Move best = Move.STAY;
        int most = -1;
        for (Move move : Move.values()) {
            int x = Constants.CENTRE_OF_VISION + move.x;
            int y = Constants.CENTRE_OF_VISION + move.y;
            boolean free = move == Move.STAY || context.lookAround(move.x, move.y) == null;
            int worth = 100 * steps[x][y] + room(context, move);
            if (free && worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    /** How many steps the nearest zombie needs to every square, around whatever stands in the way. */
    private static int[][] stepsOfZombies(PlayerId[][] field) {
        int[][] steps = new int[WIDTH][WIDTH];
        Deque<int[]> border = new ArrayDeque<>();
        for (int x = 0; x < WIDTH; x++) {
            Arrays.fill(steps[x], FAR);
            for (int y = 0; y < WIDTH; y++) {
                if (field[x][y] != null && field[x][y].getName().equals(Dead.ZOMBIENAME)) {
                    steps[x][y] = 0;
                    border.add(new int[] {x, y});
                }
            }
        }
        while (!border.isEmpty()) {
            int[] at = border.poll();
            for (Move move : Move.values()) {
                int x = at[0] + move.x;
                int y = at[1] + move.y;
                boolean inside = x >= 0 && y >= 0 && x < WIDTH && y < WIDTH;
                if (inside && steps[x][y] == FAR && (field[x][y] == null || isAlive(field[x][y]))) {
                    steps[x][y] = steps[at[0]][at[1]] + 1;
                    border.add(new int[] {x, y});
                }
            }
        }
        return steps;
    }

    private static boolean isAlive(PlayerId who) {
        return !who.getName().equals(Dead.DEADBODYNAME) && !who.getName().equals(Dead.ZOMBIENAME);
    }

    /** Empty squares around the place a move leads to. */
    private static int room(PlayerContext context, Move move) {
        int empty = 0;
        for (Move next : Move.values()) {
            empty += context.lookAround(move.x + next.x, move.y + next.y) == null ? 1 : 0;
        }
        return empty;
    }
}
