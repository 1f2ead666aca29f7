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

    /** One message: number and kind of the question, number of rows, used time, the arrays. */
    static final class Frame {
        final int number, kind, rows;
        /** Used tenths of a second of the bank, and late answers in a row. */
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

    /** The buffered input: most questions arrive in one piece, header included. */
    private final BufferedInputStream input;
    private final FileOutputStream output;
    private boolean ended;

    /** Open the protocol on descriptors that Java's class library does not offer. */
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

    /** Receive the next frame; null at the end. */
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

    /** Read until the array is full; return false at the end of the input. */
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

    /** Return a buffer for a frame of this size; the header is already written. */
    static ByteBuffer header(int size, int number, int kind, int rows) {
        ByteBuffer data = ByteBuffer.allocate(HEADER + size).order(ByteOrder.LITTLE_ENDIAN);
        return data.putInt(size).putInt(number).putShort((short) kind).putShort((short) 0).putInt(rows);
    }

    /** Send a frame without rows; after a frame of the kind BYE nothing more is sent. */
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
