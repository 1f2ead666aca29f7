package koth.jvm;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.security.CodeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Exceptions of a bot's code, in words for its author. */
final class Troubles {
    private static final int MOST_LINES = 60;
    private static final String[] NOT_THE_BOTS = {
        "java.", "javax.", "jdk.", "sun.", "koth.jvm.", "clojure.", "groovy.", "kotlin.", "scala.",
        "org.codehaus.groovy.", "org.jruby.", "org.mozilla.javascript.", "org.python.",
    };
    private static final int MOST_TOLD = 20, SAMPLE = 16;
    private static final Map<String, Boolean> KOTHS = new ConcurrentHashMap<>();
    /** By class and place: how many exceptions were examined, and how many these stand for. */
    private static final Map<String, Integer> SEEN = new ConcurrentHashMap<>(), THROWN = new ConcurrentHashMap<>();
    /** By class of exceptions: a counter, below 0 while exceptions of the class are skipped. */
    private static final Map<Class<?>, Integer> PASSED = new ConcurrentHashMap<>();
    private static volatile Class<?> host;

    private Troubles() {}

    /** Set the host's class: classes from the same place are koth's. */
    static void hostIs(Class<?> type) {
        host = type;
    }

    /** Rethrow an error of the virtual machine itself: stack overflow, out of memory. */
    static void endIfFatal(Throwable thrown) {
        Error fatal = fatal(thrown);
        if (fatal != null) {
            throw fatal;
        }
    }

    /** Return the error of the virtual machine that caused an exception, or null. */
    static VirtualMachineError fatal(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < 20; depth++, cause = cause.getCause()) {
            if (cause instanceof VirtualMachineError) {
                return (VirtualMachineError) cause;
            }
        }
        return null;
    }

    /** Return an exception in one line, with the innermost place in the bot's own code. */
    static String inWords(Throwable thrown) {
        try {
            String text = thrown.toString();
            for (StackTraceElement frame : thrown.getStackTrace()) {
                if (isTheBots(frame)) {
                    return text + " (at " + place(frame) + ")";
                }
            }
            return text;
        } catch (Throwable inItself) {
            return thrown.getClass().getName();
        }
    }

    /** Return a frame as stack traces show it, without the name of a class loader. */
    static String place(StackTraceElement frame) {
        String line = frame.getLineNumber() < 0 ? "" : ":" + frame.getLineNumber();
        return frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName() + line + ")";
    }

    /** Return whether a frame is in the bot's code, not in Java, in a language's runtime, or in koth. */
    static boolean isTheBots(StackTraceElement frame) {
        String name = frame.getClassName();
        for (String prefix : NOT_THE_BOTS) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return !KOTHS.computeIfAbsent(name, Troubles::isKoths);
    }

    /** Return whether a class comes from the place of the host and the game's API. */
    private static boolean isKoths(String name) {
        try {
            Class<?> type = Class.forName(name, false, Thread.currentThread().getContextClassLoader());
            CodeSource source = type.getProtectionDomain().getCodeSource();
            return source != null && host != null && source.equals(host.getProtectionDomain().getCodeSource());
        } catch (ClassNotFoundException | LinkageError madeByTheBot) {
            return false;
        }
    }

    /**
     * Return whether to report an exception: true for the first twenty that are examined at the same place.
     *
     * <p>After these twenty the approximate count is printed at each doubling. Of further exceptions of the class, at
     * any place, only each sixteenth is examined: finding the place takes as long as throwing.
     */
    static boolean isNews(Throwable thrown) {
        try {
            int passed = PASSED.merge(thrown.getClass(), 1, Integer::sum);
            if (passed < 0) {
                return false;
            }
            int stands = passed == 0 ? SAMPLE : 1;
            StackTraceElement[] trace = thrown.getStackTrace();
            String place = thrown.getClass().getName() + (trace.length > 0 ? " at " + place(trace[0]) : "");
            int count = THROWN.merge(place, stands, Integer::sum);
            if (SEEN.merge(place, 1, Integer::sum) <= MOST_TOLD) {
                return true;
            }
            PASSED.put(thrown.getClass(), -SAMPLE);
            if (Integer.highestOneBit(count) > Integer.highestOneBit(count - stands)) {
                System.err.println("about " + count + " times by now: " + place);
            }
            return false;
        } catch (Throwable inItself) {
            return true;
        }
    }

    /** Print the stack trace on stderr, without the frames of the adapter. */
    static void print(Throwable thrown) {
        try {
            StringWriter text = new StringWriter();
            thrown.printStackTrace(new PrintWriter(text));
            StringBuilder out = new StringBuilder();
            int lines = 0;
            for (String line : text.toString().split("\n")) {
                if (line.startsWith("\tat koth.jvm.") || lines > MOST_LINES) {
                    continue;
                }
                out.append(lines++ < MOST_LINES ? line : "\t...").append('\n');
            }
            System.err.print(out);
            System.err.flush();
        } catch (Throwable inItself) {
            System.err.println(thrown.getClass().getName());
        }
    }
}
