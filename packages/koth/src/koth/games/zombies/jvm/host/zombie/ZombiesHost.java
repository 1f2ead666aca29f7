package zombie;

import java.util.List;
import java.util.Map;
import koth.jvm.Call;
import koth.jvm.Entries;
import koth.jvm.Entry;
import koth.jvm.Host;
import koth.jvm.Scripts;
import koth.jvm.Shuffle;

/** Asks one player after another, in random order, each through a context of its own. */
public final class ZombiesHost implements Host {
    private static final byte SHOOT = 9;

    private Sight sight;
    private Player player;
    private Shuffle shuffle;
    private byte[] actionOf;

    @Override
    public boolean isEntry(Class<?> type) {
        return Player.class.isAssignableFrom(type) ? Entries.canBeMade(type) : FregePlayer.isEntry(type);
    }

    @Override
    public void start(Map<String, Object> matchInfo, Entry entry) throws Exception {
        List<?> moves = (List<?>) matchInfo.get("moves");
        Dealt.moves(moves);
        long seed = number(matchInfo, "seed");
        Move.seed(seed);
        shuffle = new Shuffle(seed);
        sight = new Sight(
                (int) number(matchInfo, "vision"), (int) number(matchInfo, "shoot_range"), (int) number(matchInfo, "side"),
                (List<?>) matchInfo.get("names"));
        actionOf = new byte[moves.size()];
        for (Move move : Move.values()) {
            actionOf[move.ordinal()] = (byte) Statement.ORDER.indexOf(move.name());
        }
        player = entry.script != null ? registered(entry) : player(entry);
    }

    private static long number(Map<String, Object> matchInfo, String name) {
        return ((Number) matchInfo.get(name)).longValue();
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

    private static String called(PlayerContext player) {
        return "player " + player.getId().getNumber() + " at " + player.getX() + "," + player.getY();
    }

    @Override
    public void answer(Call call) {
        Snapshot snapshot = new Snapshot(
                sight, call.counts("window"), call.places("window"), call.numbers("window"), call.ints("bullets"),
                call.ints("clock"), call.ints("x"), call.ints("y"), call.bank, call.strikes);
        call.who = row -> called(new PlayerContext(snapshot, row));
        byte[] action = call.answerBytes("action");
        int[] target = call.answerInts("target");
        for (int row : shuffle.order(call.rows)) {
            try {
                Action done = player.doTurn(new PlayerContext(snapshot, row));
                if (done instanceof Move) {
                    action[row] = actionOf[((Move) done).ordinal()];
                } else if (done instanceof Shoot) {
                    action[row] = SHOOT;
                    target[row] = sight.code(((Shoot) done).getTarget());
                } else {
                    call.illegal(row, "doTurn returned " + done + ", not a Move or a Shoot");
                }
            } catch (Throwable thrown) {
                call.failed(row, thrown);
            }
        }
    }
}
