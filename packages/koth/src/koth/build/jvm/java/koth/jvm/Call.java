package koth.jvm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;

/** One question to answer: flat arrays with the observations and for the answers, row after row. */
public final class Call {
    /** The codes of the faults that a host records. */
    private static final byte ERROR = 6, ILLEGAL = 8;
    private static final int MOST_ERRORS = 100;
    private static final int MOST_TEXT = 2000;
    private static final byte[] NOTHING = {};

    /** The question's name. */
    public final String question;
    /** The number of units that are asked. */
    public final int rows;
    /** Names the unit of a row in the author's words; null if there is only one unit. */
    public IntFunction<String> who;

    /** Seconds beyond its budget that the bot may still take in this match. */
    public final double bank;
    /** The number of late answers in a row, from now on, that would end the bot. */
    public final int strikes;

    private final Spec spec;
    private final ByteBuffer payload;
    private final int[] at;
    private final Object[] out;
    private final byte[] fault;
    private final StringBuilder errors = new StringBuilder();
    private int errorCount;

    Call(Spec spec, int rows, byte[] payload, double bank, int strikes) {
        this.bank = bank;
        this.strikes = strikes;
        this.spec = spec;
        this.question = spec.name;
        this.rows = rows;
        this.fault = new byte[rows];
        this.payload = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        this.at = new int[spec.view.length + 1];
        for (int i = 0; i < spec.view.length; i++) {
            Spec.Field field = spec.view[i];
            if (field.sparse) {
                int found = 0;
                for (short count : shorts(at[i], rows)) {
                    found += count & 0xFFFF;
                }
                at[i + 1] = at[i] + 2 * rows + found * (2 + field.size);
                continue;
            }
            int count = field.ragged < 0 ? rows : sum(ints(field.ragged));
            at[i + 1] = at[i] + count * field.each * field.size;
        }
        this.out = new Object[spec.answer.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = room(spec.answer[i], rows * spec.answer[i].each);
        }
    }

    private static int sum(int[] values) {
        int total = 0;
        for (int value : values) {
            total += value;
        }
        return total;
    }

    private static Object room(Spec.Field field, int count) {
        if (field.kind == 'f') {
            float[] room = new float[count];
            Arrays.fill(room, (float) field.otherwise);
            return room;
        }
        if (field.size == 1) {
            byte[] room = new byte[count];
            Arrays.fill(room, (byte) field.otherwise);
            return room;
        }
        int[] room = new int[count];
        Arrays.fill(room, (int) field.otherwise);
        return room;
    }

    /** Return a field of whole numbers, row after row. Numbers of four bytes keep their bits. */
    public int[] ints(String name) {
        return ints(Spec.index(spec.view, name));
    }

    private int[] ints(int index) {
        Spec.Field field = spec.view[index];
        int[] values = new int[(at[index + 1] - at[index]) / field.size];
        if (field.size == 4) {
            payload.position(at[index]);
            payload.asIntBuffer().get(values);
            return values;
        }
        for (int i = 0, place = at[index]; i < values.length; i++, place += field.size) {
            int bits = field.size == 1 ? payload.get(place) : payload.getShort(place);
            values[i] = field.kind == 'i' ? bits : bits & (1 << 8 * field.size) - 1;
        }
        return values;
    }

    /** Return how many numbers of a sparse field are not 0 in each row. */
    public short[] counts(String name) {
        return shorts(at[Spec.index(spec.view, name)], rows);
    }

    /** Return the indices in their rows of a sparse field's numbers that are not 0, row after row, ascending. */
    public short[] places(String name) {
        int index = Spec.index(spec.view, name);
        return shorts(at[index] + 2 * rows, found(index));
    }

    /** Return the numbers of a sparse field that are not 0. */
    public int[] numbers(String name) {
        int index = Spec.index(spec.view, name);
        int[] values = new int[found(index)];
        payload.position(at[index + 1] - 4 * values.length);
        payload.asIntBuffer().get(values);
        return values;
    }

    /** Return how many numbers of a sparse field are not 0 in all rows. */
    private int found(int index) {
        return (at[index + 1] - at[index] - 2 * rows) / (2 + spec.view[index].size);
    }

    private short[] shorts(int begin, int count) {
        short[] values = new short[count];
        payload.position(begin);
        payload.asShortBuffer().get(values);
        return values;
    }

    /** Return a field of single precision numbers, row after row. */
    public float[] floats(String name) {
        int index = Spec.index(spec.view, name);
        float[] values = new float[(at[index + 1] - at[index]) / 4];
        payload.position(at[index]);
        payload.asFloatBuffer().get(values);
        return values;
    }

    /** Return the unchanged bytes of a field, row after row. */
    public byte[] bytes(String name) {
        int index = Spec.index(spec.view, name);
        return Arrays.copyOfRange(payload.array(), at[index], at[index + 1]);
    }

    /** Return the array, filled with the defaults, for an answer's field of single bytes, row after row. */
    public byte[] answerBytes(String name) {
        return (byte[]) out[Spec.index(spec.answer, name)];
    }

    /** Return the array for an answer's field of two or four bytes. */
    public int[] answerInts(String name) {
        return (int[]) out[Spec.index(spec.answer, name)];
    }

    /** Return the array for an answer's field of single precision numbers. */
    public float[] answerFloats(String name) {
        return (float[]) out[Spec.index(spec.answer, name)];
    }

    /** Record that the bot's code threw: the row keeps the default. Rethrows errors that end the bot. */
    public void failed(int row, Throwable thrown) {
        Troubles.endIfFatal(thrown);
        fault[row] = ERROR;
        if (Troubles.isNews(thrown)) {
            Troubles.print(thrown);
            note(row, Troubles.inWords(thrown));
        }
    }

    /** Record that the bot returned no action of the game: the row keeps the default. */
    public void illegal(int row, String text) {
        fault[row] = ILLEGAL;
        note(row, text);
    }

    private void note(int row, String text) {
        if (errorCount++ < MOST_ERRORS) {
            String whole = who == null ? text : who.apply(row) + ": " + text;
            String cut = whole.length() > MOST_TEXT ? whole.substring(0, MOST_TEXT) : whole;
            errors.append(errors.length() == 0 ? "" : ",").append('[').append(row).append(',');
            errors.append(Json.quote(cut)).append(']');
        }
    }

    /** Return the answer as a frame: its fields, a fault code per row, and the errors as JSON. */
    byte[] frame(int number, int kind) {
        byte[] tail = NOTHING;
        String left = Debug.take();
        if (errors.length() > 0 || !left.isEmpty()) {
            tail = ("{\"errors\":[" + errors + "]" + left + "}").getBytes(StandardCharsets.UTF_8);
        }
        int size = rows + tail.length;
        for (Spec.Field field : spec.answer) {
            size += rows * field.each * field.size;
        }
        ByteBuffer data = Frames.header(size, number, kind, rows);
        for (int i = 0; i < out.length; i++) {
            write(data, spec.answer[i], out[i]);
        }
        return data.put(fault).put(tail).array();
    }

    private static void write(ByteBuffer data, Spec.Field field, Object values) {
        if (values instanceof byte[]) {
            data.put((byte[]) values);
            return;
        }
        int end;
        if (values instanceof float[]) {
            data.asFloatBuffer().put((float[]) values);
            end = data.position() + 4 * ((float[]) values).length;
        } else if (field.size == 4) {
            data.asIntBuffer().put((int[]) values);
            end = data.position() + 4 * ((int[]) values).length;
        } else {
            for (int value : (int[]) values) {
                data.putShort((short) value);
            }
            return;
        }
        data.position(end);
    }
}
