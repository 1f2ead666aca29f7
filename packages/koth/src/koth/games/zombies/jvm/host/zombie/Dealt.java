package zombie;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * The enum {@link Move} with its constants in the order of the ruleset.
 *
 * <p>The compiled enum never uses its constants' names but as names, so dealing the names out in another order in
 * its constant pool gives the enum in that order: ordinals, values(), switches and EnumMaps included.
 */
final class Dealt {
    private static final int UTF8 = 1;
    private static final int MAGIC_AND_VERSION = 8;

    private Dealt() {}

    /** Define Move with this order; before anything has loaded it. */
    static void moves(List<?> order) throws IOException, IllegalAccessException {
        if (order.equals(Statement.ORDER)) {
            return;
        }
        try (InputStream file = Dealt.class.getResourceAsStream("Move.class")) {
            MethodHandles.lookup().defineClass(renamed(file.readAllBytes(), order));
        }
    }

    private static byte[] renamed(byte[] classFile, List<?> order) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(in.readNBytes(MAGIC_AND_VERSION));
        int constants = in.readUnsignedShort();
        out.writeShort(constants);
        for (int i = 1; i < constants; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == UTF8) {
                String text = in.readUTF();
                int place = Statement.ORDER.indexOf(text);
                out.writeUTF(place < 0 ? text : (String) order.get(place));
            } else {
                out.write(in.readNBytes(size(tag)));
                i += tag == 5 || tag == 6 ? 1 : 0; // long and double take two places
            }
        }
        out.write(in.readAllBytes());
        return bytes.toByteArray();
    }

    /** Bytes of a constant, by its tag (Java Virtual Machine Specification, 4.4). */
    private static int size(int tag) {
        switch (tag) {
            case 7: case 8: case 16: case 19: case 20:
                return 2;
            case 15:
                return 3;
            case 5: case 6:
                return 8;
            default:
                return 4;
        }
    }
}
