package koth.jvm;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;

/** The bot that this process runs: a class, or a script and the name under which it registers a player. */
public final class Entry {
    /** The class, loaded but not initialised; null for a script. */
    public final Class<?> type;
    /** The script's file; null for a class. */
    public final Path script;
    /** The name that a script registers; empty if the script registers only one player. */
    public final String name;

    private Entry(Class<?> type, Path script, String name) {
        this.type = type;
        this.script = script;
        this.name = name;
    }

    /** Return the entry that the command line names: {@code class NAME}, or {@code script FILE NAME}. */
    static Entry of(String[] words) throws ClassNotFoundException {
        if (words[0].equals("script")) {
            return new Entry(null, Path.of(words[1]), words.length > 2 ? words[2] : "");
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return new Entry(Class.forName(words[1], false, loader), null, words[1]);
    }

    /** Make an object of the class; an exception of the constructor is thrown unchanged. */
    public Object make() throws Exception {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        try {
            return constructor.newInstance();
        } catch (InvocationTargetException exception) {
            Throwable cause = exception.getCause();
            if (cause instanceof Error) {
                throw (Error) cause;
            }
            throw (Exception) cause;
        }
    }
}
