package planet;

import alien.Alien;
import java.util.Arrays;
import java.util.Map;
import koth.jvm.Call;
import koth.jvm.Entries;
import koth.jvm.Entry;
import koth.jvm.Host;
import koth.jvm.Shuffle;

/** Holds an object for each instance of a species, and asks those that are concerned, in random order. */
public final class AliensHost implements Host {
    private static final int ABILITIES = 5;
    private static final int SHOWN_ABILITIES = 4;

    private Entry entry;
    private Shuffle shuffle;
    private Alien[] aliens;
    private float mostPoints;

    @Override
    public boolean isEntry(Class<?> type) {
        return Alien.class.isAssignableFrom(type) && Entries.canBeMade(type);
    }

    @Override
    public void start(Map<String, Object> matchInfo, Entry given) {
        entry = given;
        aliens = new Alien[((Number) matchInfo.get("instances")).intValue()];
        mostPoints = ((Number) matchInfo.get("points")).floatValue();
        long seed = ((Number) matchInfo.get("seed")).longValue();
        shuffle = new Shuffle(seed);
        Move.seed(seed);
    }

    @Override
    public void answer(Call call) {
        int[] instances = call.ints("instance");
        call.who = row -> "instance " + instances[row];
        if (call.question.equals("points")) {
            setUp(call, instances);
            return;
        }
        Self about = new Self(call.ints("levels"), call.ints("hp"), call.ints("sight"), call.ints("blur"),
                call.bank, call.strikes);
        for (int row = 0; row < call.rows; row++) {
            ((Specie) aliens[instances[row]]).knows(about, row);
        }
        if (call.question.equals("move")) {
            move(call, instances, about.sight);
        } else {
            meet(call, instances);
        }
    }

    private void setUp(Call call, int[] instances) {
        float[] answer = call.answerFloats("points");
        Self newborn = Self.newborn(call.bank, call.strikes);
        for (int row = 0; row < call.rows; row++) {
            float[] points = new float[ABILITIES];
            try {
                Alien alien = (Alien) entry.make();
                aliens[instances[row]] = alien;
                ((Specie) alien).knows(newborn, 0);
                alien.setAbilityPoints(points);
            } catch (Throwable thrown) {
                call.failed(row, thrown);
                continue;
            }
            if (areLegal(points)) {
                System.arraycopy(points, 0, answer, ABILITIES * row, ABILITIES);
            } else {
                call.illegal(row, Arrays.toString(points) + " are not legal points: each is 0 or more, together at most "
                        + (mostPoints == (int) mostPoints ? String.valueOf((int) mostPoints) : mostPoints));
            }
        }
    }

    private boolean areLegal(float[] points) {
        float sum = 0;
        for (float value : points) {
            if (!(value >= 0 && value <= mostPoints)) {
                return false;
            }
            sum += value;
        }
        return sum <= mostPoints;
    }

    private void move(Call call, int[] instances, int[] sight) {
        byte[] answer = call.answerBytes("move");
        byte[] windows = call.bytes("window");
        int[] cells = call.ints("cells");
        int[] starts = new int[call.rows];
        for (int row = 1; row < call.rows; row++) {
            starts[row] = starts[row - 1] + cells[row - 1];
        }
        for (int row : shuffle.order(call.rows)) {
            try {
                Move move = aliens[instances[row]].move(fields(windows, starts[row], 2 * sight[row] + 1));
                if (move == null) {
                    call.illegal(row, "move returned null, not a Move");
                } else {
                    answer[row] = (byte) move.ordinal();
                }
            } catch (Throwable thrown) {
                call.failed(row, thrown);
            }
        }
    }

    private static char[][] fields(byte[] windows, int start, int size) {
        char[][] fields = new char[size][size];
        int at = start;
        for (char[] column : fields) {
            for (int y = 0; y < size; y++) {
                column[y] = (char) windows[at++];
            }
        }
        return fields;
    }

    private void meet(Call call, int[] instances) {
        byte[] answer = call.answerBytes("fight");
        int[] enemies = call.ints("enemy");
        for (int row : shuffle.order(call.rows)) {
            int first = SHOWN_ABILITIES * row;
            try {
                int[] enemy = Arrays.copyOfRange(enemies, first, first + SHOWN_ABILITIES);
                answer[row] = (byte) (aliens[instances[row]].wantToFight(enemy) ? 1 : 0);
            } catch (Throwable thrown) {
                call.failed(row, thrown);
            }
        }
    }
}
