package koth.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Says why the bot ends, before it does: the first reason counts. */
final class LastWords {
    private static final int STATUS = 3;

    private final Frames frames;
    private boolean said;
    /** Given back when memory is short, so that the last words can be said. */
    private byte[] reserve = new byte[1 << 20];

    LastWords(Frames frames) {
        this.frames = frames;
        Runtime.getRuntime().addShutdownHook(new Thread(this::exitWasCalled));
    }

    private synchronized void say(String kind, String text) {
        if (said) {
            return;
        }
        said = true;
        String json = "{\"kind\":" + Json.quote(kind) + ",\"text\":" + Json.quote(text) + "}";
        try {
            frames.say(Frames.BYE, json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException nobodyListens) {
            System.err.println(text);
        }
    }

    /** End because of this: koth waits for no stack trace after the last words. */
    void endedBy(Throwable thrown, String doing) {
        reserve = null;
        try {
            VirtualMachineError fatal = Troubles.fatal(thrown);
            Throwable cause = fatal == null ? thrown : fatal;
            try {
                Troubles.print(cause);
            } finally {
                say(fatal instanceof OutOfMemoryError ? "memory" : "crash", doing + Troubles.inWords(cause));
            }
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    /** End without a word: the match is over. */
    void matchIsOver() {
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void exitWasCalled() {
        for (Map.Entry<Thread, StackTraceElement[]> thread : Thread.getAllStackTraces().entrySet()) {
            String caller = callerOfExit(thread.getValue());
            if (caller != null) {
                System.err.println("System.exit was called" + caller);
                say("crash", "System.exit was called" + caller);
                return;
            }
        }
        say("crash", "the JVM was told to end");
    }

    /** Where the bot's code called System.exit, if this is the stack of a thread that did; else null. */
    private static String callerOfExit(StackTraceElement[] stack) {
        boolean exits = false;
        for (StackTraceElement frame : stack) {
            exits |= frame.getClassName().equals("java.lang.Runtime") && frame.getMethodName().equals("exit");
            if (exits && Troubles.isTheBots(frame)) {
                return " (at " + Troubles.place(frame) + ")";
            }
        }
        return exits ? "" : null;
    }
}
