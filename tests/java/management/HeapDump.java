// SPDX-License-Identifier: Apache-2.0
// The heap dump of HotSpotDiagnosticMXBean, read by a parser of its own: its objects are those that
// live, with their fields; what refers to an object refers to one in the file; the numbers are those
// of the class histogram.
// @quick
// @flags -Xint -XX:+UseSerialGC -Xmx64m
import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.file.*;
import java.util.*;
import javax.management.ObjectName;

public class HeapDump {
    // ---- what is dumped ----
    static class Base {
        int inBase = 7;
        Object link;
    }
    static class Node extends Base {
        byte b = -1;
        char c = '\u1234';
        short s = -2;
        long l = 1L << 40;
        float f = 1.5f;
        double d = -2.25;
        boolean z = true;
        String text = "node text";
    }
    static Node[] nodes = new Node[17];
    static int[] ints = {1, -2, 3};
    static long[] longs = {1L << 50};
    static boolean[] flags = {true, false};
    static final double CONSTANT = 0.5;
    static int[][] nested = new int[3][2];

    // ---- the parser ----
    record ClassDump(long id, long parent, long loader, int size, Map<String, Object> statics, List<String> fields, List<Integer> types) { }
    record Instance(long cls, byte[] bytes) { }

    static final Map<Long, String> names = new HashMap<>();
    static final Map<Long, String> classNames = new HashMap<>();
    static final Map<Long, ClassDump> classes = new HashMap<>();
    static final Map<Long, Instance> instances = new HashMap<>();
    static final Map<Long, long[]> arrays = new HashMap<>();
    static final Map<Long, Long> arrayClass = new HashMap<>();
    static final Map<Long, Object> primitives = new HashMap<>();
    static final Map<Integer, Set<Long>> roots = new TreeMap<>();
    static final Map<Integer, List<String>> traces = new HashMap<>();
    static final Map<Long, String> frames = new HashMap<>();
    static final Map<Integer, Integer> threadTrace = new HashMap<>();

    static int size(int type) {
        return switch (type) {
            case 4, 8 -> 1;
            case 5, 9 -> 2;
            case 6, 10 -> 4;
            default -> 8;
        };
    }

    static Object value(DataInputStream in, int type) throws IOException {
        return switch (type) {
            case 2 -> in.readLong();
            case 4 -> in.readBoolean();
            case 5 -> in.readChar();
            case 6 -> in.readFloat();
            case 7 -> in.readDouble();
            case 8 -> in.readByte();
            case 9 -> in.readShort();
            case 10 -> in.readInt();
            case 11 -> in.readLong();
            default -> throw new IOException("type " + type);
        };
    }

    static void classDump(DataInputStream in) throws IOException {
        long id = in.readLong();
        in.readInt();
        long parent = in.readLong(), loader = in.readLong();
        in.skipBytes(32);
        int size = in.readInt();
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            in.readShort();
            value(in, in.readByte());
        }
        Map<String, Object> statics = new HashMap<>();
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            String name = names.get(in.readLong());
            statics.put(name, value(in, in.readByte()));
        }
        List<String> fields = new ArrayList<>();
        List<Integer> types = new ArrayList<>();
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            fields.add(names.get(in.readLong()));
            types.add((int) in.readByte());
        }
        classes.put(id, new ClassDump(id, parent, loader, size, statics, fields, types));
    }

    static void array(DataInputStream in, boolean primitive) throws IOException {
        long id = in.readLong();
        in.readInt();
        int n = in.readInt();
        if (primitive) {
            int type = in.readByte();
            List<Object> values = new ArrayList<>();
            if (n > 100 || type == 8)
                in.skipNBytes((long) n * size(type));
            else
                for (int i = 0; i < n; i++)
                    values.add(value(in, type));
            primitives.put(id, type + " " + n + (n > 100 || type == 8 ? "" : " " + values));
            return;
        }
        arrayClass.put(id, in.readLong());
        long[] elements = new long[n];
        for (int i = 0; i < n; i++)
            elements[i] = in.readLong();
        arrays.put(id, elements);
    }

    static void piece(DataInputStream in, int tag) throws IOException {
        switch (tag) {
            case 0x20 -> classDump(in);
            case 0x21 -> {
                long id = in.readLong();
                in.readInt();
                long cls = in.readLong();
                instances.put(id, new Instance(cls, in.readNBytes(in.readInt())));
            }
            case 0x22 -> array(in, false);
            case 0x23 -> array(in, true);
            default -> {
                long id = in.readLong();
                roots.computeIfAbsent(tag, t -> new HashSet<>()).add(id);
                if (tag == 1)
                    in.readLong();
                else if (tag == 8)
                    threadTrace.put(in.readInt(), in.readInt());
                else if (tag == 2 || tag == 3)
                    in.readLong();
                else if (tag == 4 || tag == 6)
                    in.readInt();
            }
        }
    }

    static void record(int tag, byte[] body) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(body));
        if (tag == 1) {
            long id = in.readLong();
            names.put(id, new String(in.readAllBytes(), "UTF-8"));
        } else if (tag == 2) {
            in.readInt();
            long id = in.readLong();
            in.readInt();
            classNames.put(id, names.get(in.readLong()));
        } else if (tag == 4) {
            long id = in.readLong();
            String name = names.get(in.readLong());
            in.readLong();
            String source = names.get(in.readLong());
            in.readInt();
            frames.put(id, name + " " + source + " " + (in.readInt() > 0));
        } else if (tag == 5) {
            int serial = in.readInt();
            in.readInt();
            List<String> trace = new ArrayList<>();
            for (int n = in.readInt(); n > 0; n--)
                trace.add(frames.get(in.readLong()));
            traces.put(serial, trace);
        } else if (tag == 0x0c || tag == 0x1c) {
            for (int t; (t = in.read()) >= 0;)
                piece(in, t);
        }
    }

    static void parse(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            StringBuilder magic = new StringBuilder();
            for (int c; (c = in.read()) > 0;)
                magic.append((char) c);
            System.out.println(magic + " " + in.readInt());
            System.out.println(Math.abs(System.currentTimeMillis() - in.readLong()) < 600_000);
            int last = 0;
            for (int tag; (tag = in.read()) >= 0; last = tag) {
                in.readInt();
                record(tag, in.readNBytes(in.readInt()));
            }
            System.out.println("last record " + Integer.toHexString(last));
        }
    }

    // ---- looking at it ----
    static boolean known(long id) {
        return id == 0 || instances.containsKey(id) || arrays.containsKey(id) || primitives.containsKey(id) || classes.containsKey(id);
    }

    static ClassDump classNamed(String name) {
        for (ClassDump c : classes.values())
            if (classNames.get(c.id).equals(name))
                return c;
        return null;
    }

    static Map<String, Object> fields(Instance i) throws IOException {
        Map<String, Object> out = new TreeMap<>();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(i.bytes));
        for (ClassDump c = classes.get(i.cls); c != null; c = classes.get(c.parent))
            for (int f = 0; f < c.fields.size(); f++)
                out.put(c.fields.get(f), c.types.get(f) == 2 ? (Object) new long[] {in.readLong()} : value(in, c.types.get(f)));
        if (in.available() != 0)
            System.out.println("WRONG: bytes are left of a " + classNames.get(i.cls));
        return out;
    }

    static void references() throws IOException {
        int unknown = 0;
        for (Instance i : instances.values()) {
            if (i.bytes.length != classes.get(i.cls).size)
                System.out.println("WRONG: size of " + classNames.get(i.cls));
            for (Object v : fields(i).values())
                unknown += v instanceof long[] r && !known(r[0]) ? 1 : 0;
        }
        for (long[] a : arrays.values())
            for (long id : a)
                unknown += known(id) ? 0 : 1;
        for (Set<Long> ids : roots.values())
            for (long id : ids)
                unknown += known(id) ? 0 : 1;
        System.out.println("unknown references " + unknown);
    }

    static long count(String cls) {
        return instances.values().stream().filter(i -> classNames.get(i.cls).equals(cls)).count();
    }

    static void main() throws IOException {
        ClassDump me = classNamed("HeapDump"), node = classNamed("HeapDump$Node");
        System.out.println(count("HeapDump$Node") + " " + count("HeapDump$Base") + " " + classNames.get(node.parent) + " " + node.fields.size() + " " + node.size);
        Map<String, Object> f = null;
        for (Instance i : instances.values())
            if (i.cls == node.id)
                f = fields(i);
        Instance text = instances.get(((long[]) f.remove("text"))[0]);
        System.out.println(classNames.get(text.cls) + " " + primitives.get(((long[]) fields(text).get("value"))[0]));
        f.remove("link");
        System.out.println(f);
        System.out.println(me.statics.get("CONSTANT") + " " + primitives.get(me.statics.get("ints")) + " "
            + primitives.get(me.statics.get("longs")) + " " + primitives.get(me.statics.get("flags")));
        long nodeArray = (Long) me.statics.get("nodes");
        System.out.println(classNames.get(arrayClass.get(nodeArray)) + " " + arrays.get(nodeArray).length + " " + arrays.get((Long) me.statics.get("nested")).length);
        System.out.println(classNames.get(instances.get(me.loader).cls));
        for (Map.Entry<Integer, List<String>> t : traces.entrySet())
            if (t.getValue().stream().anyMatch(s -> s.startsWith("locked ")))
                System.out.println(t.getValue() + " " + threadTrace.containsValue(t.getKey()));
        System.out.println(roots.keySet().containsAll(List.of(1, 3, 5, 8)) + " " + roots.get(8).size());
    }

    static synchronized void locked() {
        try {
            HeapDump.class.wait();
        } catch (InterruptedException e) {
        }
    }

    static void histogram() throws Exception {
        String table = (String) ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
            "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
        for (String line : table.split("\n"))
            if (line.contains("HeapDump$Node") || line.contains("num  "))
                System.out.println(line.replaceAll("^ *[0-9]+: +", ""));
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < nodes.length; i++)
            nodes[i] = new Node();
        new Base();
        Thread t = new Thread(HeapDump::locked, "waiting");
        t.setDaemon(true);
        t.start();
        while (t.getState() != Thread.State.WAITING)
            Thread.sleep(1);
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        Path file = Files.createTempDirectory(Path.of("").toAbsolutePath(), "dump").resolve("heap.hprof");
        bean.dumpHeap(file.toString(), true);
        for (String wrong : new String[] {file.toString(), "/nonexistent/x.hprof", "x.txt"})
            try {
                bean.dumpHeap(wrong, false);
            } catch (IOException | IllegalArgumentException e) {
                System.out.println(e);
            }
        parse(file);
        Files.delete(file);
        Files.delete(file.getParent());
        references();
        main();
        histogram();
    }
}
