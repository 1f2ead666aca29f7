package koth.jvm;

/**
 * Drawings and notes of a bot for its author, who sees them in the viewer; they are never in the replay.
 *
 * <p>Give squares as the game gives squares to the bot. Excess drawings are left out.
 */
public final class Debug {
    private static final int MOST = 500;
    private static final int MOST_TEXT = 200;
    private static final StringBuilder DRAWN = new StringBuilder();
    private static final StringBuilder NOTED = new StringBuilder();
    private static int count;

    private Debug() {}

    /** Draw a square. */
    public static void mark(double a, double b) {
        mark(a, b, null, null);
    }

    /** Draw a square with a text or a number inside. */
    public static void mark(double a, double b, Object text) {
        mark(a, b, text, null);
    }

    /** Draw a square of this colour: a word of CSS, or #rrggbb. */
    public static void mark(double a, double b, Object text, String color) {
        draw("square", text, color, a, b);
    }

    /** Draw a line from the middle of the square (a, b) to the middle of (c, d). */
    public static void line(double a, double b, double c, double d) {
        line(a, b, c, d, null, null);
    }

    /** Draw a line of this colour with a text halfway. */
    public static void line(double a, double b, double c, double d, Object text, String color) {
        draw("line", text, color, a, b, c, d);
    }

    /** Draw a text or a number on a square. */
    public static void text(double a, double b, Object text) {
        text(a, b, text, null);
    }

    /** Draw a text or a number of this colour on a square. */
    public static void text(double a, double b, Object text, String color) {
        draw("at", text, color, a, b);
    }

    /** Store a line for the log of this turn; the last line of a question counts. */
    public static synchronized void note(Object value) {
        NOTED.setLength(0);
        NOTED.append(Json.quote(cut(value, 1 << 13)));
    }

    private static synchronized void draw(String shape, Object text, String color, double... places) {
        for (double place : places) {
            if (Double.isNaN(place) || Double.isInfinite(place)) {
                return;
            }
        }
        if (count++ > MOST) {
            return;
        }
        DRAWN.append(DRAWN.length() == 0 ? "" : ",").append("{\"").append(shape).append("\":[");
        for (int i = 0; i < places.length; i++) {
            DRAWN.append(i == 0 ? "" : ",").append(places[i]);
        }
        DRAWN.append(']');
        if (text != null) {
            DRAWN.append(",\"text\":").append(Json.quote(cut(text, MOST_TEXT)));
        }
        if (color != null) {
            DRAWN.append(",\"color\":").append(Json.quote(cut(color, MOST_TEXT)));
        }
        DRAWN.append('}');
    }

    private static String cut(Object value, int most) {
        String text = String.valueOf(value);
        return text.length() > most ? text.substring(0, most) : text;
    }

    /** Return the drawings and the note since the last answer, as keys of a JSON object; empty if there are none. */
    static synchronized String take() {
        if (DRAWN.length() == 0 && NOTED.length() == 0) {
            return "";
        }
        String told = ",\"draw\":[" + DRAWN + "]" + (NOTED.length() == 0 ? "" : ",\"note\":" + NOTED);
        DRAWN.setLength(0);
        NOTED.setLength(0);
        count = 0;
        return told;
    }
}
