// A first bot: eats what is next to it, walks on, and keeps off ghosts.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

public final class Bot {
    private static final int[] DOWN = {-1, 0, 1, 0};
    private static final int[] RIGHT = {0, 1, 0, -1};

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String seed = System.getenv("KOTH_SEED");
        Random dice = new Random(seed == null ? 1 : Long.parseLong(seed));
        String walls = in.readLine().trim(); // a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
        int side = (int) Math.round(Math.sqrt(walls.length()));
        for (String line = in.readLine(); line != null && !line.startsWith("Q"); line = in.readLine()) {
            // "3,7X 2,7o 3,8G": squares as row,column and what is there; the first one is our own.
            Map<String, Character> seen = new HashMap<>();
            String[] words = line.trim().split(" ");
            for (String word : words) {
                seen.put(word.substring(0, word.length() - 1), word.charAt(word.length() - 1));
            }
            String[] own = words[0].substring(0, words[0].length() - 1).split(",");
            int row = Integer.parseInt(own[0]);
            int col = Integer.parseInt(own[1]);
            int closed = Character.digit(walls.charAt(row * side + col), 16);
            int best = 4;
            double most = 0;
            for (int d = 0; d < 4; d++) {
                String there = (row + DOWN[d] + side) % side + "," + (col + RIGHT[d] + side) % side;
                double worth = worth(seen.getOrDefault(there, '?')) + dice.nextDouble();
                if ((closed >> d & 1) == 0 && worth > most) {
                    best = d;
                    most = worth;
                }
            }
            System.out.println("NESWX".charAt(best));
            System.out.flush();
        }
    }

    private static int worth(char what) {
        return switch (what) {
            case 'o' -> 10; // a pellet
            case 'O' -> 50; // a power pellet
            case 'F' -> 100; // fruit
            case 'G' -> 0; // a ghost
            default -> 1; // P another Pac-Man, X nothing, or out of sight
        };
    }
}
