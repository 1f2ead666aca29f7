package zombie;

import java.util.LinkedHashMap;
import java.util.Map;

/** Where scripts make their bots known. */
public final class PlayerRegistry {
    private static final Map<String, Player> PLAYERS = new LinkedHashMap<>();

    private PlayerRegistry() {}

    /** The bot of this name. */
    public static void registerPlayer(String name, Player player) {
        PLAYERS.put(name, player);
    }

    static Map<String, Player> players() {
        return PLAYERS;
    }
}
