// SPDX-License-Identifier: Apache-2.0
// Extension functions and events; a class is unloaded and told of.
// @agent ti_extension
// @quick
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

public class Extension {
    static native void check(Thread t);

    static native int unloaded();

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        // class probe.Probe {}
        Class<?> probe() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(0xCAFEBABE);
            out.writeInt(52);
            out.writeShort(5);
            out.writeByte(1);
            out.writeUTF("probe/Probe");
            out.writeByte(7);
            out.writeShort(1);
            out.writeByte(1);
            out.writeUTF("java/lang/Object");
            out.writeByte(7);
            out.writeShort(3);
            out.writeShort(0x20);
            out.writeShort(2);
            out.writeShort(4);
            out.writeShort(0);
            out.writeShort(0);
            out.writeShort(0);
            out.writeShort(0);
            return defineClass("probe.Probe", bytes.toByteArray(), 0, bytes.size());
        }
    }

    public static void main(String[] args) throws Exception {
        check(Thread.currentThread());
        System.out.println(new Loader().probe().getName());
        while (unloaded() == 0) { // another thread tells of it
            System.gc();
            Thread.sleep(5);
        }
        System.out.println("unloaded " + unloaded());
    }
}
