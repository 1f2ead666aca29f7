package koth.jvm;

import java.util.Map;

/** A game's part of the adapter, which recognises, makes and asks the game's entries. */
public interface Host {
    /** Return whether this concrete class, which is loaded but not initialised, is an entry of the game. */
    boolean isEntry(Class<?> type);

    /** Make the bot. {@code matchInfo} is the match info of this bot. */
    void start(Map<String, Object> matchInfo, Entry entry) throws Exception;

    /** Ask the bot for each row of one question. */
    void answer(Call call);
}
