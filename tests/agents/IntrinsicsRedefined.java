// SPDX-License-Identifier: Apache-2.0
// A method that HotSpot's interpreter computes itself is computed whatever its body says: after a redefinition, and with a breakpoint
// in it that is never hit. One that it does not compute has the new body and the breakpoint.
// @agent ti_redefine
// @quick
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;

public class IntrinsicsRedefined {
    static final List<String> METHODS = List.of("sin", "exp", "log10", "asin", "cosh");

    // Makes each of METHODS, `return StrictMath.same(a)`, return 1.
    static byte[] returningOne(byte[] file) throws IOException {
        byte[] changed = file.clone();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
        in.skipBytes(8);
        String[] texts = new String[in.readUnsignedShort()];
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            if (tag == 1)
                texts[i] = in.readUTF();
            else
                in.skipBytes(tag == 5 || tag == 6 ? 8 : tag == 15 ? 3 : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2 : 4);
            if (tag == 5 || tag == 6)
                i++;
        }
        in.skipBytes(6);
        in.skipBytes(2 * in.readUnsignedShort());
        for (int fields = in.readUnsignedShort(); fields > 0; fields--) {
            in.skipBytes(6);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.skipBytes(2);
                in.skipBytes(in.readInt());
            }
        }
        for (int methods = in.readUnsignedShort(); methods > 0; methods--) {
            in.skipBytes(2);
            String name = texts[in.readUnsignedShort()], desc = texts[in.readUnsignedShort()];
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                boolean code = texts[in.readUnsignedShort()].equals("Code");
                int length = in.readInt(), start = file.length - in.available() + 8;
                if (code && METHODS.contains(name) && desc.equals("(D)D")) {
                    if (file[start] != 0x26 || file[start + 4] != (byte) 0xAF)
                        throw new AssertionError(name + " has another body");
                    changed[start] = changed[start + 1] = changed[start + 2] = 0; // nop
                    changed[start + 3] = 0x0F; // dconst_1
                }
                in.skipBytes(length);
            }
        }
        return changed;
    }

    static void show(String what) throws Exception {
        System.out.println(what);
        System.out.printf("  %.3f %.3f %.3f %.3f %.3f%n", Math.sin(0.5), Math.exp(0.5), Math.log10(0.5), Math.asin(0.5), Math.cosh(0.5));
        for (String name : METHODS)
            System.out.printf("  %s %.3f", name, Math.class.getMethod(name, double.class).invoke(null, 0.5));
        System.out.println();
    }

    public static void main(String[] args) throws Exception {
        byte[] file = Redefiner.file("java.lang.Math");
        show("as it is");
        System.out.println(Redefiner.redefine(Math.class, returningOne(file)));
        show("redefined");
        for (String name : METHODS)
            Redefiner.breakpoint(Math.class.getMethod(name, double.class), true);
        Redefiner.hits();
        show("with breakpoints");
        System.out.println(Redefiner.hits() + " hits");
        for (String name : METHODS)
            Redefiner.breakpoint(Math.class.getMethod(name, double.class), false);
        System.out.println(Redefiner.redefine(Math.class, file));
        show("as it was");
    }
}
