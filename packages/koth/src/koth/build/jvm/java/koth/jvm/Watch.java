package koth.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * A thread that prints the bot's stack when a question takes too long, and so locates an endless loop.
 *
 * <p>Only charged time counts, not the time in which the bot's thread waited for a core.
 */
final class Watch extends Thread {
    private static final long STEP = 100;

    private final Thread watched = Thread.currentThread();
    private final Path account = account();
    private final long budget;
    private final long bank;
    private volatile long left;
    private volatile long since;
    private volatile boolean open;

    /** Watch the thread that calls this, with these seconds per question, and in the bank. */
    Watch(double seconds, double inBank) {
        super("koth-watch");
        budget = (long) (seconds * 1e9);
        bank = (long) (inBank * 1e9);
        setDaemon(true);
    }

    /** Begin a question; {@code used} tenths of a second of the bank are used up. */
    void begin(int used) {
        left = Math.max(0, bank - used * 100_000_000L);
        since = System.nanoTime();
        open = true;
    }

    void end() {
        open = false;
    }

    @Override
    public void run() {
        long seen = 0;
        long told = 0;
        long waited = 0;
        try {
            while (true) {
                Thread.sleep(STEP);
                long begin = since;
                if (!open || begin == told) {
                    continue;
                }
                if (begin != seen) {
                    seen = begin;
                    waited = waited();
                }
                if (System.nanoTime() - begin - (waited() - waited) > budget + left) {
                    told = begin;
                    tell();
                }
            }
        } catch (InterruptedException enough) {
            Thread.currentThread().interrupt();
        }
    }

    /** Return the file with the calling thread's times; null if there is none. */
    private static Path account() {
        try {
            Path own = Files.readSymbolicLink(Paths.get("/proc/thread-self"));
            Path account = Paths.get("/proc").resolve(own).resolve("schedstat");
            return Files.isReadable(account) ? account : null;
        } catch (IOException | RuntimeException untold) {
            return null;
        }
    }

    /** Return the total nanoseconds that the bot's thread has waited for a core. */
    private long waited() {
        try {
            return account == null
                    ? 0
                    : Long.parseLong(new String(Files.readAllBytes(account), StandardCharsets.US_ASCII).split(" ")[1]);
        } catch (IOException | RuntimeException untold) {
            return 0;
        }
    }

    private void tell() {
        StringBuilder out = new StringBuilder();
        String own = "";
        String first = "";
        for (StackTraceElement frame : watched.getStackTrace()) {
            if (frame.getClassName().startsWith("koth.jvm.")) {
                break;
            }
            String place = Troubles.place(frame);
            first = first.isEmpty() ? place : first;
            own = own.isEmpty() && Troubles.isTheBots(frame) ? place : own;
            out.append("\tat ").append(place).append('\n');
        }
        System.err.print("no answer in time; the bot is at " + (own.isEmpty() ? first : own) + "\n" + out);
    }
}
