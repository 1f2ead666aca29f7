package koth.jvm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;

/** One question to answer: flat arrays of what is seen and room for the answers, row after row. */
public final class Call {
    /** The codes of the faults that a host records. */
    private static final byte ERROR = 6, ILLEGAL = 8;
    private static final int MOST_ERRORS = 100;
    private static final int MOST_TEXT = 2000;
    private static final byte[] NOTHING = {};

    /** The question's name. */
    public final String question;
    /** How many bodies are asked. */
    public final int rows;
    /** Says whose row it is, in the author's words; null where there is one body only. */
    public IntFunction<String> who;

    /** Seconds beyond its budget that the bot may still take in this match. */
    public final double bank;
    /** How many late answers in a row from now would end the bot. */
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

    /** A field of whole numbers, all rows one after another. Those of four bytes keep their bits. */
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

    /** Of a sparse field, how many numbers each row has that are not 0. */
    public short[] counts(String name) {
        return shorts(at[Spec.index(spec.view, name)], rows);
    }

    /** Of a sparse field, where in their rows those numbers stand, row after row, in ascending order. */
    public short[] places(String name) {
        int index = Spec.index(spec.view, name);
        return shorts(at[index] + 2 * rows, found(index));
    }

    /** Of a sparse field, those numbers. */
    public int[] numbers(String name) {
        int index = Spec.index(spec.view, name);
        int[] values = new int[found(index)];
        payload.position(at[index + 1] - 4 * values.length);
        payload.asIntBuffer().get(values);
        return values;
    }

    /** How many numbers of a sparse field are not 0. */
    private int found(int index) {
        return (at[index + 1] - at[index] - 2 * rows) / (2 + spec.view[index].size);
    }

    private short[] shorts(int begin, int count) {
        short[] values = new short[count];
        payload.position(begin);
        payload.asShortBuffer().get(values);
        return values;
    }

    /** A field of single precision numbers, all rows one after another. */
    public float[] floats(String name) {
        int index = Spec.index(spec.view, name);
        float[] values = new float[(at[index + 1] - at[index]) / 4];
        payload.position(at[index]);
        payload.asFloatBuffer().get(values);
        return values;
    }

    /** A field of bytes as they came, all rows one after another. */
    public byte[] bytes(String name) {
        int index = Spec.index(spec.view, name);
        return Arrays.copyOfRange(payload.array(), at[index], at[index + 1]);
    }

    /** Where to write an answer's field of single bytes, all rows one after another; it holds the defaults. */
    public byte[] answerBytes(String name) {
        return (byte[]) out[Spec.index(spec.answer, name)];
    }

    /** Where to write an answer's field of two or four bytes. */
    public int[] answerInts(String name) {
        return (int[]) out[Spec.index(spec.answer, name)];
    }

    /** Where to write an answer's field of single precision numbers. */
    public float[] answerFloats(String name) {
        return (float[]) out[Spec.index(spec.answer, name)];
    }

    /** The bot's code threw: this row holds the default. Throws what ends the bot altogether. */
    public void failed(int row, Throwable thrown) {
        Troubles.endIfFatal(thrown);
        fault[row] = ERROR;
        if (Troubles.isNews(thrown)) {
            Troubles.print(thrown);
            note(row, Troubles.inWords(thrown));
        }
    }

    /** What the bot returned is no action: this row holds the default. */
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

    /** The answer as a frame: its fields, a fault code per row, and what went wrong as JSON. */
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
