package koth.jvm;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The protocol: frames of little-endian arrays behind a header of 16 bytes, on descriptors 3 and 4. */
final class Frames {
    static final int HELLO = 0, BYE = 0xFFFF;
    private static final int HEADER = 16;

    /** One message: number and kind of the question, how many rows, what is used up, the arrays. */
    static final class Frame {
        final int number, kind, rows;
        /** Tenths of a second of the bank, and late answers in a row. */
        final int used, strikes;
        final byte[] payload;

        Frame(int number, int kind, int rows, int used, byte[] payload) {
            this.number = number;
            this.kind = kind;
            this.rows = rows;
            this.used = used & 0xFFF | (used >> 16 & 31) << 12;
            this.strikes = used >> 12 & 15 | (used >> 21) << 4;
            this.payload = payload;
        }
    }

    /** With a buffer: most questions, header and all, come in one piece. */
    private final BufferedInputStream input;
    private final FileOutputStream output;
    private boolean ended;

    /** Opens the protocol on descriptors that no class library hands out. */
    Frames(int in, int out) throws ReflectiveOperationException {
        input = new BufferedInputStream(new FileInputStream(descriptor(in)));
        output = new FileOutputStream(descriptor(out));
    }

    private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
        FileDescriptor descriptor = new FileDescriptor();
        Field field = FileDescriptor.class.getDeclaredField("fd");
        field.setAccessible(true);
        field.setInt(descriptor, number);
        return descriptor;
    }

    /** The next frame, or null at the end. */
    Frame receive() throws IOException {
        byte[] head = new byte[HEADER];
        if (!fill(head)) {
            return null;
        }
        ByteBuffer header = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        byte[] payload = new byte[header.getInt(0)];
        if (!fill(payload)) {
            return null;
        }
        int kind = header.getShort(8) & 0xFFFF;
        int used = header.getShort(10) & 0xFFFF | (header.getInt(12) >>> 24) << 16;
        return new Frame(header.getInt(4), kind, header.getInt(12) & 0xFFFFFF, used, payload);
    }

    /** Read until the array is full; false at the end. */
    private boolean fill(byte[] data) throws IOException {
        int have = 0;
        while (have < data.length) {
            int count = input.read(data, have, data.length - have);
            if (count < 0) {
                return false;
            }
            have += count;
        }
        return true;
    }

    /** Room for a frame of this size behind its header, which is written. */
    static ByteBuffer header(int size, int number, int kind, int rows) {
        ByteBuffer data = ByteBuffer.allocate(HEADER + size).order(ByteOrder.LITTLE_ENDIAN);
        return data.putInt(size).putInt(number).putShort((short) kind).putShort((short) 0).putInt(rows);
    }

    /** Send a frame without rows; nothing comes after one of the kind BYE. */
    synchronized void say(int kind, byte[] payload) throws IOException {
        send(header(payload.length, 0, kind, 0).put(payload).array());
        ended = kind == BYE;
    }

    /** Send a whole frame. */
    synchronized void send(byte[] frame) throws IOException {
        if (!ended) {
            output.write(frame);
        }
    }
}
