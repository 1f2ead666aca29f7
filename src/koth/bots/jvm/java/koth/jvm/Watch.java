package koth.jvm;

/** Prints what the bot is doing when a question takes longer than it may: where an endless loop is. */
final class Watch extends Thread {
    private static final long STEP = 100;

    private final Thread watched = Thread.currentThread();
    private final long budget;
    private volatile long since;
    private volatile boolean open;

    /** Watches the thread that makes it, with so many seconds a question. */
    Watch(double seconds) {
        super("koth-watch");
        budget = (long) (seconds * 1e9);
        setDaemon(true);
    }

    void begin() {
        since = System.nanoTime();
        open = true;
    }

    void end() {
        open = false;
    }

    @Override
    public void run() {
        long told = 0;
        try {
            while (true) {
                Thread.sleep(STEP);
                long begin = since;
                if (open && begin != told && System.nanoTime() - begin > budget) {
                    told = begin;
                    tell();
                }
            }
        } catch (InterruptedException enough) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell() {
        StringBuilder out = new StringBuilder("no answer in time; the bot is at\n");
        for (StackTraceElement frame : watched.getStackTrace()) {
            if (frame.getClassName().startsWith("koth.jvm.")) {
                break;
            }
            out.append("\tat ").append(Troubles.place(frame)).append('\n');
        }
        System.err.print(out);
    }
}
