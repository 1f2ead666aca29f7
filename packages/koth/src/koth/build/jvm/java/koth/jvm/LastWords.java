package koth.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The message to koth why the bot ends, sent before its end: the first reason counts. */
final class LastWords {
    private static final int STATUS = 3;

    private final Frames frames;
    private boolean said;
    /** Memory that is released at the end, so that the message can be sent even if memory is short. */
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

    /** End the process because of an error. The stack trace is printed first: koth does not wait for it later. */
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

    /** End the process without a message: the match is over. */
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

    /** Return where the bot's code called System.exit; null if the stack's thread did not call it. */
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
