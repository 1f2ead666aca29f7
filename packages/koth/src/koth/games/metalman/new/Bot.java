// A first bot: run for the centre, capture whoever comes within reach.
// koth reads stdout: print to stderr (System.err), which is kept for you.

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;

public class Bot {
    // A place is a row and a column, a step as many of them: [1, 0] is down.
    private static final List<List<Integer>> STEPS = List.of(List.of(-1, 0), List.of(0, 1), List.of(1, 0), List.of(0, -1));
    private static final int UNSEEN = -1;
    private static final int WALL = 0;

    private final int spotterSteps;
    private final int assassinSteps;
    private final List<Integer> centre;
    private final Set<List<Integer>> open = new HashSet<>(); // what it has not seen may be open
    private final Set<List<Integer>> enemies = new HashSet<>();
    private Map<List<Integer>, List<List<Integer>>> home;

    Bot(Json hello) {
        spotterSteps = hello.get("spotter_steps").number();
        assassinSteps = hello.get("assassin_steps").number();
        int rows = hello.get("rows").number();
        int columns = hello.get("columns").number();
        centre = List.of(rows / 2, columns / 2);
        for (int square = 0; square < rows * columns; square++) {
            open.add(List.of(square / columns, square % columns));
        }
    }

    /** What the two pieces do, as JSON. */
    String answer(Json question) {
        look(question.get("board"));
        home = search(centre, open.size(), null);
        // The spotter moves first. While both live they are in each other's way.
        List<Integer> spotter = question.get("spotter location").place();
        List<Integer> assassin = question.get("assasin location").place();
        Way first = go(spotter, spotterSteps, question.get("assasin alive").truth() ? assassin : null);
        Way second = go(assassin, assassinSteps, question.get("spotter alive").truth() ? first.end : null);
        return "\"Spotter\": " + first.orders(question.get("spotter direction").place())
                + ", \"Assasin\": " + second.orders(question.get("assasin direction").place());
    }

    private void look(Json board) {
        enemies.clear();
        for (int row = 0; row < board.items.size(); row++) {
            List<Json> line = board.items.get(row).items;
            for (int column = 0; column < line.size(); column++) {
                List<Integer> place = List.of(row, column);
                Json square = line.get(column);
                if (!square.members.isEmpty()) { // an enemy: playerId, direction, type, square
                    enemies.add(place);
                    square = square.get("square");
                }
                if (square.number() == WALL) {
                    open.remove(place);
                } else if (square.number() != UNSEEN) {
                    open.add(place);
                }
            }
        }
    }

    /** The squares within reach, each with the steps to it, the nearest first. */
    private Map<List<Integer>, List<List<Integer>>> search(List<Integer> from, int reach, List<Integer> blocked) {
        Map<List<Integer>, List<List<Integer>>> found = new LinkedHashMap<>(Map.of(from, List.of()));
        Deque<List<Integer>> queue = new ArrayDeque<>(List.of(from));
        while (!queue.isEmpty()) {
            List<Integer> place = queue.remove();
            for (List<Integer> step : STEPS) {
                List<Integer> next = List.of(place.get(0) + step.get(0), place.get(1) + step.get(1));
                List<List<Integer>> way = new ArrayList<>(found.get(place));
                way.add(step);
                if (way.size() <= reach && open.contains(next) && !next.equals(blocked) && !found.containsKey(next)) {
                    found.put(next, way);
                    queue.add(next);
                }
            }
        }
        return found;
    }

    /** The way to an enemy within reach, else towards the centre. */
    private Way go(List<Integer> from, int reach, List<Integer> blocked) {
        Way best = null;
        int least = Integer.MAX_VALUE;
        for (Map.Entry<List<Integer>, List<List<Integer>>> way : search(from, reach, blocked).entrySet()) {
            List<List<Integer>> rest = home.get(way.getKey());
            int score = enemies.contains(way.getKey()) ? -1 : rest == null ? open.size() : rest.size();
            if (score < least) {
                least = score;
                best = new Way(way.getKey(), way.getValue());
            }
        }
        return best;
    }

    private static final class Way {
        final List<Integer> end;
        final List<List<Integer>> steps;

        Way(List<Integer> end, List<List<Integer>> steps) {
            this.end = end;
            this.steps = steps;
        }

        /** These steps, and a look around: a quarter turn clockwise. Lists of numbers print as JSON. */
        String orders(List<Integer> facing) {
            return "{\"moves\": " + steps + ", \"direction\": " + List.of(facing.get(1), -facing.get(0)) + "}";
        }
    }

    public static void main(String[] arguments) {
        Bot bot = null;
        for (Scanner in = new Scanner(System.in, "UTF-8"); in.hasNextLine();) {
            Json message = new Json(in.nextLine());
            if (message.get("bye") != null) {
                return;
            } else if (message.get("hello") != null) {
                bot = new Bot(message.get("hello")); // what holds for the whole match
                System.out.println("{\"ready\": true}");
            } else {
                System.out.println("{\"ask\": " + message.get("ask").text + ", " + bot.answer(message) + "}");
            }
        }
    }

    /** A JSON value: a list's items, an object's members, or a text; numbers, true, false and null are texts. */
    private static final class Json {
        final Map<String, Json> members = new HashMap<>();
        final List<Json> items = new ArrayList<>();
        String text = "";

        /** Read a line of koth's, which has no blanks between values. */
        Json(String line) {
            this(new ArrayDeque<>(List.of(line.split("(?<=[\\[\\]{},:\"\\\\])|(?=[\\[\\]{},:\"\\\\])"))));
        }

        private Json(Deque<String> parts) {
            text = parts.remove();
            if (text.equals("\"")) {
                text = "";
                for (String part = parts.remove(); !part.equals("\""); part = parts.remove()) {
                    text += part.equals("\\") ? parts.remove() : part;
                }
            } else if (text.equals("[") || text.equals("{")) {
                while (!parts.peek().equals("]") && !parts.peek().equals("}")) {
                    if (text.equals("[")) {
                        items.add(new Json(parts));
                    } else {
                        String key = new Json(parts).text;
                        parts.remove(); // the colon
                        members.put(key, new Json(parts));
                    }
                    if (parts.peek().equals(",")) {
                        parts.remove();
                    }
                }
                parts.remove();
            }
        }

        /** The value of a key; null if it is not there. */
        Json get(String key) {
            return members.get(key);
        }

        int number() {
            return Integer.parseInt(text);
        }

        boolean truth() {
            return text.equals("true");
        }

        List<Integer> place() {
            return List.of(items.get(0).number(), items.get(1).number());
        }
    }
}
