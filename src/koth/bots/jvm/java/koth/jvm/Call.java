package koth.jvm;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** One question to answer: flat arrays of what is seen and room for the answers, row after row. */
public final class Call {
    /** The codes of the faults that a host records. */
    private static final byte ERROR = 6, ILLEGAL = 8;
    private static final int MOST_ERRORS = 100;
    private static final int MOST_TEXT = 2000;

    /** The question's name. */
    public final String question;
    /** How many bodies are asked. */
    public final int rows;

    private final Spec spec;
    private final Map<String, ByteBuffer> view = new LinkedHashMap<>();
    private final Map<String, ByteBuffer> out = new LinkedHashMap<>();
    private final byte[] fault;
    private final StringBuilder errors = new StringBuilder();
    private int errorCount;

    Call(Spec spec, int rows, byte[] payload) {
        this.spec = spec;
        this.question = spec.name;
        this.rows = rows;
        this.fault = new byte[rows];
        ByteBuffer all = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        view.put("body", cut(all, 4 * rows));
        for (Map.Entry<String, Spec.Field> entry : spec.view.entrySet()) {
            Spec.Field field = entry.getValue();
            int count = rows;
            if (field.ragged != null) {
                count = 0;
                for (int n : ints(field.ragged)) {
                    count += n;
                }
            }
            view.put(entry.getKey(), cut(all, count * field.each * field.size));
        }
        for (Map.Entry<String, Spec.Field> entry : spec.answer.entrySet()) {
            Spec.Field field = entry.getValue();
            ByteBuffer room = ByteBuffer.allocate(rows * field.each * field.size).order(ByteOrder.LITTLE_ENDIAN);
            out.put(entry.getKey(), room);
            for (int i = 0; field.otherwise != 0 && i < rows * field.each; i++) {
                put(entry.getKey(), i, field.otherwise);
            }
        }
    }

    private static ByteBuffer cut(ByteBuffer all, int size) {
        ByteBuffer part = all.slice().order(ByteOrder.LITTLE_ENDIAN);
        part.limit(size);
        all.position(all.position() + size);
        return part;
    }

    /** A field of whole numbers, all rows one after another. Those of four bytes keep their bits. */
    public int[] ints(String name) {
        ByteBuffer data = view.get(name);
        int size = name.equals("body") ? 4 : spec.view.get(name).size;
        int[] values = new int[data.limit() / size];
        if (size == 4) {
            data.duplicate().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(values);
            return values;
        }
        boolean signed = spec.view.get(name).kind == 'i';
        for (int i = 0; i < values.length; i++) {
            if (size == 1) {
                values[i] = signed ? data.get(i) : data.get(i) & 0xFF;
            } else {
                values[i] = signed ? data.getShort(2 * i) : data.getShort(2 * i) & 0xFFFF;
            }
        }
        return values;
    }

    /** A field of single precision numbers, all rows one after another. */
    public float[] floats(String name) {
        ByteBuffer data = view.get(name);
        float[] values = new float[data.limit() / 4];
        data.duplicate().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }

    /** A field of bytes as they came, all rows one after another. */
    public byte[] bytes(String name) {
        byte[] values = new byte[view.get(name).limit()];
        view.get(name).duplicate().get(values);
        return values;
    }

    /** Answer: write one value of a field, {@code index} counted over all rows. */
    public void put(String name, int index, double value) {
        Spec.Field field = spec.answer.get(name);
        ByteBuffer room = out.get(name);
        int place = index * field.size;
        if (field.kind == 'f') {
            if (field.size == 4) {
                room.putFloat(place, (float) value);
            } else {
                room.putDouble(place, value);
            }
        } else if (field.size == 1) {
            room.put(place, (byte) (long) value);
        } else if (field.size == 2) {
            room.putShort(place, (short) (long) value);
        } else if (field.size == 4) {
            room.putInt(place, (int) (long) value);
        } else {
            room.putLong(place, (long) value);
        }
    }

    /** The bot's code threw: this row holds the default. Throws what ends the bot altogether. */
    public void failed(int row, Throwable thrown) {
        Troubles.endIfFatal(thrown);
        fault[row] = ERROR;
        Troubles.print(thrown);
        note(row, Troubles.inWords(thrown));
    }

    /** What the bot returned is no action: this row holds the default. */
    public void illegal(int row, String text) {
        fault[row] = ILLEGAL;
        note(row, text);
    }

    private void note(int row, String text) {
        if (errorCount++ < MOST_ERRORS) {
            String cut = text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) : text;
            errors.append(errors.length() == 0 ? "" : ",").append('[').append(row).append(',');
            errors.append(Json.quote(cut)).append(']');
        }
    }

    /** The answer's payload: its fields, a fault code per row, and what went wrong as JSON. */
    byte[] payload() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuffer room : out.values()) {
            all.write(room.array(), 0, room.capacity());
        }
        all.write(fault, 0, rows);
        if (errors.length() > 0) {
            byte[] tail = ("{\"errors\":[" + errors + "]}").getBytes(StandardCharsets.UTF_8);
            all.write(tail, 0, tail.length);
        }
        return all.toByteArray();
    }
}
