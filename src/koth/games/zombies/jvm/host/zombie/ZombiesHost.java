package zombie;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import koth.jvm.Call;
import koth.jvm.Entries;
import koth.jvm.Entry;
import koth.jvm.Host;
import koth.jvm.Scripts;

/** Asks one player after another, in random order, each through a context of its own. */
public final class ZombiesHost implements Host {
    private static final int SHOOT = 9;

    private Sight sight;
    private Player player;
    private Random random;
    private int[] actionOf;

    @Override
    public boolean isEntry(Class<?> type) {
        return Player.class.isAssignableFrom(type) ? Entries.canBeMade(type) : FregePlayer.isEntry(type);
    }

    @Override
    public void start(Map<String, Object> facts, Entry entry) throws Exception {
        List<?> moves = (List<?>) facts.get("moves");
        Dealt.moves(moves);
        long seed = number(facts, "seed");
        Move.seed(seed);
        random = new Random(seed);
        sight = new Sight(
                (int) number(facts, "vision"), (int) number(facts, "shoot_range"), (int) number(facts, "side"),
                (List<?>) facts.get("names"));
        actionOf = new int[moves.size()];
        for (Move move : Move.values()) {
            actionOf[move.ordinal()] = Statement.ORDER.indexOf(move.name());
        }
        player = entry.script != null ? registered(entry) : player(entry);
    }

    private static long number(Map<String, Object> facts, String name) {
        return ((Number) facts.get(name)).longValue();
    }

    private static Player player(Entry entry) throws Exception {
        return Player.class.isAssignableFrom(entry.type) ? (Player) entry.make() : new FregePlayer(entry.type);
    }

    private static Player registered(Entry entry) throws Exception {
        Scripts.run(entry.script);
        Map<String, Player> players = PlayerRegistry.players();
        Player player = players.get(entry.name);
        if (player == null && players.size() == 1) {
            player = players.values().iterator().next();
        }
        if (player == null) {
            String found = players.isEmpty() ? "nobody" : String.join(", ", players.keySet());
            throw new IllegalStateException(
                    entry.script.getFileName() + " registers " + found + " with PlayerRegistry, not one player"
                            + (entry.name.isEmpty() ? "" : " called " + entry.name));
        }
        return player;
    }

    @Override
    public void answer(Call call) {
        int[] windows = call.ints("window");
        int[] bullets = call.ints("bullets");
        int[] clock = call.ints("clock");
        int[] x = call.ints("x");
        int[] y = call.ints("y");
        List<Integer> order = new ArrayList<>();
        for (int row = 0; row < call.rows; row++) {
            order.add(row);
        }
        Collections.shuffle(order, random);
        int size = sight.width * sight.width;
        for (int row : order) {
            try {
                PlayerContext context =
                        new PlayerContext(sight, windows, row * size, bullets[row], clock[row], x[row], y[row]);
                decide(call, row, player.doTurn(context));
            } catch (Throwable thrown) {
                call.failed(row, thrown);
            }
        }
    }

    private void decide(Call call, int row, Action action) {
        if (action instanceof Move) {
            call.put("action", row, actionOf[((Move) action).ordinal()]);
        } else if (action instanceof Shoot) {
            call.put("action", row, SHOOT);
            call.put("target", row, sight.code(((Shoot) action).getTarget()));
        } else {
            call.illegal(row, "doTurn returned " + action + ", not a Move or a Shoot");
        }
    }
}
