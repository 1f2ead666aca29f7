// A first bot: eats what is next to it, keeps off ghosts, and walks where it has been least.
// koth reads stdout: print to stderr (System.err), which is kept for you.

import java.util.HashMap;
import java.util.Map;
import java.util.Scanner;

public class Bot {
    // Pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing.
    private static final Map<Character, Integer> WORTH = Map.of('o', 10, 'O', 50, 'F', 100, 'G', -1000);
    private static final String MOVES = "NESW";
    private static final int[] DOWN = {-1, 0, 1, 0};
    private static final int[] RIGHT = {0, 1, 0, -1};

    private final String walls; // a hex digit a square, row by row: 1 is a wall in the north, 2 east, 4 south, 8 west
    private final int side; // the maze is square, and its opposite edges touch
    private final int[] visits;

    Bot(String walls) {
        this.walls = walls;
        side = (int) Math.round(Math.sqrt(walls.length()));
        visits = new int[walls.length()];
    }

    /** Where it goes; `seen` has what squares show, by row * side + col. */
    char act(int row, int col, Map<Integer, Character> seen) {
        int here = row * side + col;
        visits[here]++;
        char best = 'X';
        int most = Integer.MIN_VALUE;
        for (int way = 0; way < 4; way++) {
            if ((Character.digit(walls.charAt(here), 16) >> way & 1) == 1) {
                continue;
            }
            int there = (row + DOWN[way] + side) % side * side + (col + RIGHT[way] + side) % side;
            int score = WORTH.getOrDefault(seen.getOrDefault(there, 'X'), 0) - visits[there];
            if (score > most) {
                best = MOVES.charAt(way);
                most = score;
            }
        }
        return best;
    }

    public static void main(String[] arguments) {
        Scanner in = new Scanner(System.in);
        Bot bot = new Bot(in.nextLine());
        for (String line = in.nextLine(); !line.equals("Q"); line = in.nextLine()) {
            Map<Integer, Character> seen = new HashMap<>();
            int here = -1; // its own square comes first
            for (String word : line.split(" ")) { // like 23,70X
                String[] place = word.substring(0, word.length() - 1).split(",");
                int square = Integer.parseInt(place[0]) * bot.side + Integer.parseInt(place[1]);
                seen.put(square, word.charAt(word.length() - 1));
                here = here < 0 ? square : here;
            }
            System.out.println(bot.act(here / bot.side, here % bot.side, seen));
        }
    }
}
