#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Raw packets of JDWP with what no debugger should send: packets that are too short or too long, unknown commands, ids that are null, never
# given out, of another kind, of an object that was collected or a thread that ended, frames of before. Compared are the error codes and the lengths of the replies.
# @timeout 120
set -eu
cat >Debuggee.java <<'TEXT'
import java.lang.ref.WeakReference;
public class Debuggee {
    interface Face { int call(int n); static int twice(int n) { return 2 * n; } }
    static abstract class Base implements Face { abstract int hidden(); int over = 7; static long wide = 8; }
    static class Sub extends Base { public int call(int n) { return n; } int hidden() { return 1; } Object link; }
    static Object plain = new Object(), gone = new Object(), loader = ClassLoader.getSystemClassLoader();
    static String text = "text";
    static int[] ints = {1, 2, 3};
    static Object[] objects = {"a", null};
    static Sub sub = new Sub();
    static Thread ended, fresh = new Thread("fresh"), waits;
    static ThreadGroup group, destroyed;
    static Class<?> prim = int.class, face = Face.class, array = int[].class, self = Debuggee.class, base = Base.class;
    static Module module = Object.class.getModule();
    static int number = 5;
    static final Object lock = new Object();
    int own = 3;
    static native void nat();
    static void collect() { System.gc(); }
    static int stop(int a, Object b, long c) { int local = a + 1; return local; }
    int middle(int n) { Object o = text; synchronized (lock) { int r = stop(n, o, 4L); return r + own; } }
    public static void main(String[] args) throws Exception {
        ended = new Thread("ended"); ended.start(); ended.join();
        group = new ThreadGroup("group");
        destroyed = new ThreadGroup("destroyed"); destroyed.destroy();
        waits = new Thread(() -> { synchronized (ints) { try { ints.wait(); } catch (InterruptedException e) { } } }, "waits");
        waits.setDaemon(true); waits.start();
        while (waits.getState() != Thread.State.WAITING) Thread.sleep(1);
        new Debuggee().middle(1);
        System.out.println("end");
    }
}
TEXT
# A command set, a command, and its data. o: an object id that is replaced by all others in turn, p: by those that can't be told from garbage only
# (with others stock libjdwp hands what it has not looked at to JNI), x: by none; m, f and r likewise for methods, fields and frames; i: int, b: byte, s: string.
cat >commands <<'TEXT'
1 1
1 2 s:LDebuggee;
1 2 s:garbage
1 2 s:
1 2 s:[
1 2 s:I
1 2 s:[I
1 2 s:[[[[Ljava/lang/Object;
1 4
1 5
1 7
1 8
1 11 s:new
1 11 s:
1 12
1 13
1 15
1 16
1 17
1 18 i:1 o:Debuggee i:0
1 18 i:1 o:Debuggee i:4 i:-889275714
1 18 i:1 o:Debuggee i:-1
1 18 i:0
1 18 i:2 o:Debuggee i:0 o:Sub i:0
1 19 s:Java
1 21 i:1 o:Sub
1 21 i:0
1 21 i:-1
1 21 i:2 o:Sub o:Base
1 23
1 99
0 0
7 1
8 1
19 1
63 1
64 100
2 20
9 4
9 11
11 15
18 3
2 1 o:Debuggee
2 2 o:Debuggee
2 3 o:Debuggee
2 4 o:Debuggee
2 5 o:Debuggee
2 6 p:Debuggee i:1 x:f.number
2 6 p:Sub i:1 x:fBase.wide
2 6 p:Debuggee i:0
2 6 p:Debuggee i:-1
2 7 o:Debuggee
2 8 o:Debuggee
2 9 p:Debuggee
2 10 o:Debuggee
2 11 o:Debuggee
2 12 o:Debuggee
2 13 o:Debuggee
2 14 o:Debuggee
2 15 o:Debuggee
2 16 o:Sub i:0
2 16 o:Sub i:-1
2 16 o:Sub i:1
2 17 o:Debuggee
2 18 o:Debuggee
2 19 o:Debuggee
4 1 p:ints[] i:3
4 1 p:ints[] i:-1
4 1 p:ints[] i:2147483647
4 1 p:objects[] i:0
6 1 o:Debuggee x:m.stop
6 2 o:Debuggee x:m.stop
6 3 o:Debuggee x:m.stop
6 4 o:Debuggee x:m.stop
6 5 o:Debuggee x:m.stop
6 5 o:Face x:mFace.call
9 1 p:plain
9 2 p:sub i:1 x:fSub.link
9 2 p:sub i:1 x:fBase.over
9 2 o:sub i:-1
9 3 p:sub i:1 x:fBase.over i:9
9 3 p:sub i:1 x:fSub.link o:plain
9 3 p:fresh i:1 x:fThread.tid o:null
9 3 p:fresh i:1 x:fThread.group o:group
9 3 p:sub i:-1
9 5 o:plain
9 5 o:ints
9 7 o:plain
9 8 o:plain
9 9 o:plain
9 10 o:plain i:-1
9 10 o:sub i:1
10 1 p:text
11 1 o:main
11 4 o:main
11 5 o:main
11 6 o:main i:0 i:-1
11 6 o:main i:0 i:0
11 6 o:main i:1 i:2
11 6 o:main i:3 i:-1
11 6 o:main i:0 i:9
11 6 o:main i:-1 i:1
11 6 o:main i:9 i:1
11 6 o:main i:0 i:-2
11 7 o:main
11 8 o:main
11 9 o:main
11 9 o:waits
11 8 o:waits
11 12 o:main
11 13 o:main
11 13 o:waits
11 2 o:main
11 3 o:main
11 2 o:fresh
11 11 o:waits
12 1 p:group
12 2 p:group
12 3 o:group
13 1 p:ints
13 2 p:ints i:0 i:3
13 2 p:objects i:0 i:2
13 2 p:ints i:0 i:4
13 2 p:ints i:-1 i:1
13 2 p:ints i:0 i:-1
13 2 p:ints i:3 i:0
13 2 p:ints i:4 i:0
13 2 p:ints i:2147483647 i:1
13 3 p:ints i:0 i:1 i:9
13 3 p:ints i:3 i:1 i:9
13 3 p:ints i:-1 i:1 i:9
13 3 p:objects i:0 i:1 o:plain
13 3 p:ints i:0 i:-1
14 1 o:loader
15 2 b:2 i:99
15 2 b:0 i:1
15 2 b:99 i:1
15 3
16 1 o:main r:frame0 i:1 i:0 b:73
16 1 o:main r:frame0 i:1 i:1 b:76
16 1 o:main r:frame0 i:1 i:1 b:91
16 1 o:main r:frame0 i:1 i:2 b:74
16 1 o:main r:frame0 i:1 i:2 b:68
16 1 o:main r:frame0 i:1 i:0 b:70
16 1 o:main r:frame0 i:1 i:0 b:76
16 1 o:main r:frame0 i:1 i:1 b:73
16 1 o:main r:frame0 i:1 i:99 b:73
16 1 o:main r:frame0 i:1 i:-1 b:73
16 1 o:main r:frame0 i:1 i:4 b:73
16 1 o:main r:frame0 i:1 i:0 b:0
16 1 o:main r:frame0 i:1 i:0 b:86
16 1 o:main r:frame0 i:-1
16 1 o:main r:frame1 i:1 i:0 b:76
16 1 o:main r:frame0 i:1 i:1 b:115
16 2 o:main r:frame0 i:1 i:0 b:73 i:9
16 2 o:main r:frame0 i:1 i:1 b:76 o:plain
16 2 o:main r:frame0 i:1 i:2 b:74 o:null
16 2 o:main r:frame0 i:1 i:0 b:74 o:null
16 2 o:main r:frame0 i:1 i:99 b:73 i:1
16 2 o:main r:frame1 i:1 i:0 b:76 o:plain
16 3 o:main r:frame0
16 3 o:main r:frame1
16 3 o:waits r:frame0
17 1 p:self
17 1 p:prim
18 2 o:module
16 4 o:main r:frame0
16 4 o:main r:frame1
16 4 o:main r:frame2
11 14 o:main b:73 i:1
11 14 o:main b:86
11 14 o:main b:74 o:null
11 14 o:main b:76 o:plain
11 14 o:main b:0
11 14 o:waits b:86
TEXT
cat >Raw.java <<'TEXT'
import java.io.*;
import java.net.Socket;
import java.nio.file.*;
import java.util.*;

public class Raw {
    record Reply(int error, byte[] data) { DataInputStream in() { return new DataInputStream(new ByteArrayInputStream(data)); } }
    static Process process; static Socket socket; static DataInputStream in; static DataOutputStream out; static int next;
    static Map<String, Long> ids;
    static Deque<byte[]> events = new ArrayDeque<>();

    static void launch() throws Exception {
        ProcessBuilder b = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=localhost:0", "-cp", ".", "Debuggee");
        b.redirectError(ProcessBuilder.Redirect.INHERIT);
        process = b.start();
        BufferedReader r = process.inputReader();
        String line = r.readLine();
        int port = Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
        socket = new Socket("localhost", port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60000);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        out.writeBytes("JDWP-Handshake"); out.flush();
        in.readFully(new byte[14]);
        setup();
    }
    static Reply send(int set, int cmd, byte[] data) throws IOException {
        int id = ++next;
        out.writeInt(data.length + 11); out.writeInt(id); out.writeByte(0); out.writeByte(set); out.writeByte(cmd); out.write(data); out.flush();
        for (;;) {
            int n = in.readInt(), got = in.readInt(), flags = in.read(), code = in.readUnsignedShort();
            byte[] body = new byte[n - 11]; in.readFully(body);
            if (flags == 0x80 && got == id) return new Reply(code, body);
            if (flags == 0) events.add(body);
        }
    }
    static byte[] pack(Object... parts) {
        try {
            ByteArrayOutputStream b = new ByteArrayOutputStream(); DataOutputStream d = new DataOutputStream(b);
            for (Object o : parts) {
                if (o instanceof Long l) d.writeLong(l); else if (o instanceof Integer i) d.writeInt(i); else if (o instanceof Byte x) d.writeByte(x);
                else if (o instanceof Boolean x) d.writeBoolean(x);
                else if (o instanceof String s) { byte[] u = s.getBytes("UTF-8"); d.writeInt(u.length); d.write(u); } else if (o instanceof byte[] u) d.write(u);
                else throw new Error(String.valueOf(o));
            }
            return b.toByteArray();
        } catch (IOException e) { throw new Error(e); }
    }
    static String str(DataInputStream d) throws IOException { byte[] b = new byte[d.readInt()]; d.readFully(b); return new String(b, "UTF-8"); }
    static long type(String sig) throws IOException {
        DataInputStream d = send(1, 2, pack(sig)).in();
        if (d.readInt() == 0) throw new IOException("no " + sig);
        d.read(); return d.readLong();
    }
    static void members(String prefix, long type, int cmd) throws IOException {
        DataInputStream d = send(2, cmd, pack(type)).in();
        for (int n = d.readInt(); n > 0; n--) { long id = d.readLong(); String name = str(d); str(d); d.readInt(); ids.put(prefix + name, id); }
    }
    static void event() throws IOException { while (events.isEmpty()) { int n = in.readInt(); in.readInt(); in.read(); in.readUnsignedShort(); byte[] b = new byte[n - 11]; in.readFully(b); events.add(b); } }
    static void setup() throws Exception {
        ids = new TreeMap<>();
        event(); // VMStart
        events.clear();
        send(15, 1, pack((byte) 8, (byte) 2, 1, (byte) 5, "Debuggee"));
        send(1, 9, pack()); event(); events.clear();
        long t = type("LDebuggee;");
        ids.put("Debuggee", t); members("f.", t, 4); members("m.", t, 5);
        long object = type("Ljava/lang/Object;"); ids.put("Object", object); members("om.", object, 5);
        send(15, 1, pack((byte) 2, (byte) 2, 1, (byte) 7, (byte) 1, t, ids.get("m.stop"), 0L));
        send(1, 9, pack()); event();
        DataInputStream e = new DataInputStream(new ByteArrayInputStream(events.remove()));
        e.read(); e.readInt(); e.read(); e.readInt(); ids.put("main", e.readLong());
        for (String c : "Sub Base Face".split(" ")) { ids.put(c, type("LDebuggee$" + c + ";")); members("f" + c + ".", ids.get(c), 4); members("m" + c + ".", ids.get(c), 5); }
        ids.put("ints[]", type("[I")); ids.put("objects[]", type("[Ljava/lang/Object;")); ids.put("String", type("Ljava/lang/String;"));
        ids.put("Thread", type("Ljava/lang/Thread;")); members("fThread.", ids.get("Thread"), 4);
        for (String f : "plain gone loader text ints objects sub ended fresh waits group destroyed prim face array self base module".split(" ")) {
            DataInputStream d = send(2, 6, pack(t, 1, ids.get("f." + f))).in();
            d.readInt(); int tag = d.read(); long v = d.readLong(); ids.put(f, v);
        }
        DataInputStream d = send(11, 6, pack(ids.get("main"), 0, -1)).in();
        int n = d.readInt();
        for (int i = 0; i < n; i++) { ids.put("frame" + i, d.readLong()); d.read(); d.readLong(); d.readLong(); d.readLong(); }
        send(3, 2, pack(t, 1, ids.get("f.gone"), 0L));
        send(3, 3, pack(t, ids.get("main"), ids.get("m.collect"), 0, 0));
        // the invocation made new frame ids
        d = send(11, 6, pack(ids.get("main"), 0, -1)).in();
        n = d.readInt();
        for (int i = 0; i < n; i++) { ids.put("stale" + i, ids.get("frame" + i)); ids.put("frame" + i, d.readLong()); d.read(); d.readLong(); d.readLong(); d.readLong(); }
        ids.put("null", 0L); ids.put("garbage", 0x7fff1234L); ids.put("minus", -1L);
    }

    static final String OBJECTS = "null garbage minus plain gone loader text ints objects sub main ended fresh waits group destroyed prim face array self base module Debuggee Sub Face ints[] Thread frame0 m.stop f.plain";
    static final String METHODS = "null m.stop m.middle m.nat m.collect mSub.call mBase.hidden mFace.call mFace.twice om.hashCode mSub.<init> m.<clinit>";
    static final String FIELDS = "null f.number f.plain f.own fSub.link fBase.over fBase.wide fThread.tid";
    static final String FRAMES = "null garbage minus frame0 frame1 frame2 stale0 stale1 main plain";

        static String[] wrong(char kind) {
        return switch (kind) {
        case 'o' -> OBJECTS.split(" ");
        case 'p' -> new String[] {"garbage", "minus", "gone"};
        case 'm' -> METHODS.split(" ");
        case 'f' -> FIELDS.split(" ");
        case 'r' -> FRAMES.split(" ");
        default -> new String[0];
        };
    }
    static Object value(String word) { 
        String v = word.substring(2);
        return switch (word.charAt(0)) {
            case 'i' -> (Object) Integer.parseInt(v); case 'b' -> (Object) (byte) Integer.parseInt(v); case 's' -> v;
            default -> { Long id = ids.get(v); if (id == null) throw new Error("no id " + v); yield id; }
        };
    }
    static byte[] packed(String[] words, int at, String name) {
        Object[] parts = new Object[words.length - 2];
        for (int i = 2; i < words.length; i++)
            parts[i - 2] = i == at ? value(words[i].charAt(0) + ":" + name) : value(words[i]);
        return pack(parts);
    }
    static void say(String what, int set, int command, byte[] data) throws IOException {
        Reply r = send(set, command, data);
        boolean varies = set == 1 || set == 12 || set == 14 || set == 2 && (command == 5 || command >= 15) || r.error != 0; // by class library and VM
        System.out.println("  " + what + ": " + r.error + (varies ? "" : " " + r.data.length));
    }
    public static void main(String[] args) throws Exception {
        launch();
        for (String command : Files.readAllLines(Path.of("commands"))) {
            System.out.println("== " + command);
            String[] words = command.split(" ", -1);
            int set = Integer.parseInt(words[0]), number = Integer.parseInt(words[1]);
            byte[] right = packed(words, -1, null);
            for (int cut = 1; cut <= right.length; cut += cut < 4 ? 3 : 4)
                say("without " + cut, set, number, Arrays.copyOf(right, right.length - cut));
            for (int i = 2; i < words.length; i++)
                for (String name : wrong(words[i].charAt(0)))
                    if (!words[i].substring(2).equals(name))
                        say((i - 1) + " " + name, set, number, packed(words, i, name));
            say("and more", set, number, Arrays.copyOf(right, right.length + 5));
            say("right", set, number, right);
        }
        socket.close();
        process.destroyForcibly();
    }
}
TEXT
javac -g -nowarn Debuggee.java Raw.java 2>/dev/null
java -cp . Raw
