// Busts ghosts: knows where power pellets are, takes one when a ghost is near, and goes after the ghost.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntPredicate;

public final class Ghostbuster {
    private static final String MOVES = "NESWX";
    private final String walls;
    private final int side;
    private final char[] known;
    private final char[] now;
    private int strong;

    private Ghostbuster(String walls) {
        this.walls = walls;
        side = (int) Math.round(Math.sqrt(walls.length()));
        known = new char[walls.length()];
        now = new char[walls.length()];
        Arrays.fill(known, 'o');
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Ghostbuster bot = new Ghostbuster(in.readLine().trim());
        for (String line = in.readLine(); line != null && !line.startsWith("Q"); line = in.readLine()) {
            System.out.println(MOVES.charAt(bot.move(line.trim())));
            System.out.flush();
        }
    }

    private int move(String line) {
        Arrays.fill(now, ' ');
        int me = -1;
        char self = 'X';
        for (String word : line.split(" ")) {
            int comma = word.indexOf(',');
            int row = Integer.parseInt(word.substring(0, comma));
            int square = row * side + Integer.parseInt(word.substring(comma + 1, word.length() - 1));
            char what = word.charAt(word.length() - 1);
            if (me < 0) {
                me = square;
                self = what;
                strong = known[me] == 'O' && what == 'X' ? 10 : Math.max(0, strong - 1);
            } else {
                now[square] = what;
            }
            if (what != 'G') {
                known[square] = what == 'P' ? 'X' : what;
            }
        }
        if (self == 'G') {
            return way(me, square -> now[square] == 'P', 99, false);
        }
        int hunt = way(me, square -> now[square] == 'G', strong, false);
        if (hunt < 4) {
            return hunt;
        }
        int fetch = way(me, square -> known[square] == 'O' || known[square] == 'F', 15, true);
        if (fetch < 4) {
            return fetch;
        }
        int graze = way(me, square -> known[square] == 'o', walls.length(), true);
        return graze < 4 ? graze : way(me, square -> !isDangerous(square), walls.length(), false);
    }

    /** The first direction of a shortest way of at most so many steps to such a square, 4 without one. */
    private int way(int start, IntPredicate goal, int most, boolean shy) {
        int[] first = new int[walls.length()];
        int[] steps = new int[walls.length()];
        Arrays.fill(first, -1);
        first[start] = 4;
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        queue.add(start);
        while (!queue.isEmpty()) {
            int square = queue.remove();
            if (square != start && goal.test(square)) {
                return first[square];
            }
            for (int d = 0; d < 4 && steps[square] < most; d++) {
                int there = neighbour(square, d);
                if (isClosed(square, d) || first[there] >= 0 || shy && isDangerous(there)) {
                    continue;
                }
                first[there] = square == start ? d : first[square];
                steps[there] = steps[square] + 1;
                queue.add(there);
            }
        }
        return 4;
    }

    private boolean isDangerous(int square) {
        boolean ghost = now[square] == 'G';
        for (int d = 0; d < 4; d++) {
            ghost |= !isClosed(square, d) && now[neighbour(square, d)] == 'G';
        }
        return ghost;
    }

    private boolean isClosed(int square, int direction) {
        return (Character.digit(walls.charAt(square), 16) >> direction & 1) == 1;
    }

    private int neighbour(int square, int direction) {
        int row = square / side + (direction == 0 ? side - 1 : direction == 2 ? 1 : 0);
        int col = square % side + (direction == 3 ? side - 1 : direction == 1 ? 1 : 0);
        return row % side * side + col % side;
    }
}
