package koth.jvm;

import java.util.Map;

/** What a game adds to the adapter: how its entries are recognised, made and asked. */
public interface Host {
    /** Whether this public, concrete class is an entry of the game. It is loaded, but not initialised. */
    boolean isEntry(Class<?> type);

    /** Make the bot. {@code matchInfo} is what the game tells this bot once. */
    void start(Map<String, Object> matchInfo, Entry entry) throws Exception;

    /** Ask the bot for each row of one question. */
    void answer(Call call);
}
