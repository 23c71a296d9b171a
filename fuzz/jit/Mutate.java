// SPDX-License-Identifier: Apache-2.0
// Changes the bytecodes of random programs (docs/PROVING.md, "Random programs"), so that compilers see what javac never writes: other
// operations and variables, branches into the midst of loops and handlers. What is no verified class any more is dropped.
//   java Mutate <folder of Fuzz> <folder of the programs> P1 P2 ...
// A program that does not end in time, or ends the stack, afterwards is left as it was. Prints a line for each: its name and
// how many changes it has.
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

public final class Mutate {
    static final int CHANGES = 6, TURNS = 300, MILLIS = 3000, TRIES = 50;
    static final int TABLESWITCH = 170, LOOKUPSWITCH = 171, WIDE = 196, IINC = 132, GOTO = 167;
    static final int CODE_HEADER = 14, MEMBER_HEADER = 6, ATTRIBUTE_HEADER = 6; // bytes before the bytecodes, the attributes, the contents

    // Operations that take and give the same.
    static final int[][] ALIKE = {
        {96, 100, 104, 108, 112, 120, 122, 124, 126, 128, 130}, // of two ints
        {97, 101, 105, 109, 113, 127, 129, 131}, {121, 123, 125}, // of two longs, of a long and an int
        {98, 102, 106, 110, 114}, {99, 103, 107, 111, 115}, {149, 150}, {151, 152}, // of floats, of doubles
        {116, 145, 146, 147}, // of an int
        {153, 154, 155, 156, 157, 158}, {159, 160, 161, 162, 163, 164}, {165, 166}, {198, 199}, // branches
        {2, 3, 4, 5, 6, 7, 8}, {9, 10}, {11, 12, 13}, {14, 15}, // constants
        {26, 27, 28, 29}, {30, 31, 32, 33}, {34, 35, 36, 37}, {38, 39, 40, 41}, {42, 43, 44, 45}, // loads
        {59, 60, 61, 62}, {63, 64, 65, 66}, {67, 68, 69, 70}, {71, 72, 73, 74}, {75, 76, 77, 78}, // stores
    };
    static final int[] LENGTHS = new int[256];

    static {
        Arrays.fill(LENGTHS, 1);
        for (int op : new int[] {16, 18, 21, 22, 23, 24, 25, 54, 55, 56, 57, 58, 169, 188})
            LENGTHS[op] = 2;
        for (int op : new int[] {17, 19, 20, IINC, 187, 189, 192, 193, 198, 199})
            LENGTHS[op] = 3;
        Arrays.fill(LENGTHS, 153, 169, 3);
        Arrays.fill(LENGTHS, 178, 185, 3);
        LENGTHS[197] = 4;
        for (int op : new int[] {185, 186, 200, 201})
            LENGTHS[op] = 5;
    }

    // The bytecodes of a method: where they are in its class file.
    static final class Code {
        final ByteBuffer file;
        final int start, length;

        Code(ByteBuffer file, int start, int length) {
            this.file = file;
            this.start = start;
            this.length = length;
        }

        int at(int pc) {
            return file.get(start + pc) & 0xFF;
        }

        boolean branches(int pc) {
            return at(pc) >= 153 && at(pc) <= GOTO || at(pc) == 198 || at(pc) == 199;
        }

        int target(int pc) {
            return pc + file.getShort(start + pc + 1);
        }

        int next(int pc) {
            int operands = start + (pc + 4 & ~3);
            switch (at(pc)) {
            case TABLESWITCH: return operands - start + 12 + 4 * (file.getInt(operands + 8) - file.getInt(operands + 4) + 1);
            case LOOKUPSWITCH: return operands - start + 8 + 8 * file.getInt(operands + 4);
            case WIDE: return pc + (at(pc + 1) == IINC ? 6 : 4);
            default: return pc + LENGTHS[at(pc)];
            }
        }

        List<Integer> instructions() {
            List<Integer> all = new ArrayList<>();
            for (int pc = 0; pc < length; pc = next(pc))
                all.add(pc);
            return all;
        }
    }

    // ---- where the bytecodes are ----

    // Where the constant pool ends; notes the number of the text "Code".
    static int skipConstants(ByteBuffer file, int[] code) {
        int count = file.getShort(8) & 0xFFFF, at = 10;
        for (int i = 1; i < count; i++) {
            int tag = file.get(at);
            if (tag == 1) {
                int length = file.getShort(at + 1) & 0xFFFF;
                if (length == 4 && file.getInt(at + 3) == 0x436F6465)
                    code[0] = i;
                at += 3 + length;
            } else {
                at += tag == 5 || tag == 6 ? 9 : tag == 15 ? 4 : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 3 : 5;
                i += tag == 5 || tag == 6 ? 1 : 0;
            }
        }
        return at;
    }

    // Fields, or methods: adds what code they have. Where they end.
    static int members(ByteBuffer file, int at, int codeName, List<Code> codes) {
        int count = file.getShort(at);
        at += 2;
        for (int i = 0; i < count; i++) {
            int attributes = file.getShort(at + MEMBER_HEADER);
            at += MEMBER_HEADER + 2;
            for (int j = 0; j < attributes; j++) {
                if (file.getShort(at) == codeName)
                    codes.add(new Code(file, at + CODE_HEADER, file.getInt(at + CODE_HEADER - 4)));
                at += ATTRIBUTE_HEADER + file.getInt(at + 2);
            }
        }
        return at;
    }

    static List<Code> codes(byte[] bytes) {
        List<Code> codes = new ArrayList<>();
        ByteBuffer file = ByteBuffer.wrap(bytes);
        int[] codeName = {-1};
        int at = skipConstants(file, codeName) + 6;
        at += 2 + 2 * file.getShort(at);
        members(file, members(file, at, codeName[0], codes), codeName[0], codes);
        return codes;
    }

    // ---- changes ----

    static boolean changeOperation(Code c, int pc, Random random) {
        for (int[] alike : ALIKE)
            for (int op : alike)
                if (op == c.at(pc)) {
                    c.file.put(c.start + pc, (byte) alike[random.nextInt(alike.length)]);
                    return true;
                }
        return false;
    }

    // To where another one goes, or anywhere.
    static boolean changeBranch(Code c, int pc, List<Integer> all, Random random) {
        if (!c.branches(pc))
            return false;
        int other = all.get(random.nextInt(all.size()));
        c.file.putShort(c.start + pc + 1, (short) ((c.branches(other) ? c.target(other) : other) - pc));
        return true;
    }

    static boolean changeByte(Code c, int pc, Random random) {
        int at = c.start + pc + random.nextInt(Math.min(3, c.length - pc));
        c.file.put(at, (byte) (random.nextBoolean() ? random.nextInt() : c.file.get(at) + random.nextInt(7) - 3));
        return true;
    }

    // One change; longer methods get more.
    static void change(byte[] bytes, Random random) {
        List<Code> codes = codes(bytes);
        if (codes.isEmpty())
            return;
        int left = random.nextInt(codes.stream().mapToInt(c -> c.length).sum()), i = 0;
        while (left >= codes.get(i).length)
            left -= codes.get(i++).length;
        Code c = codes.get(i);
        List<Integer> all = c.instructions();
        boolean done = false;
        for (int tries = 0; tries < TRIES && !done; tries++) {
            int pc = all.get(random.nextInt(all.size())), kind = random.nextInt(6);
            done = kind < 2 ? changeOperation(c, pc, random) : kind < 5 ? changeBranch(c, pc, all, random) : changeByte(c, pc, random);
        }
    }

    // ---- what of it is kept ----

    static final class Loader extends ClassLoader {
        final Map<String, byte[]> classes;

        Loader(Map<String, byte[]> classes) {
            super(null);
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null)
                throw new ClassNotFoundException(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    // HotSpot links the class for its list of methods.
    static boolean isVerified(String name, Map<String, byte[]> classes) {
        try {
            new Loader(classes).loadClass(name).getDeclaredMethods();
            return true;
        } catch (LinkageError | ClassNotFoundException refused) {
            return false;
        }
    }

    static boolean isWanted(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause())
            if (t instanceof VirtualMachineError || t instanceof LinkageError || t instanceof ThreadDeath)
                return false;
        return true;
    }

    static void turns(Class<?> program, boolean[] ended) {
        try {
            var made = program.getDeclaredConstructor();
            var turn = program.getMethod("turn", int.class);
            made.setAccessible(true);
            turn.setAccessible(true);
            Object o = made.newInstance();
            for (int n = 0; n < TURNS; n++) {
                try {
                    turn.invoke(o, n);
                } catch (InvocationTargetException e) {
                    if (!isWanted(e))
                        return;
                }
            }
            ended[0] = true;
        } catch (Throwable refused) {
            // it is not wanted
        }
    }

    @SuppressWarnings("removal")
    static boolean ends(String name, Map<String, byte[]> classes) throws Exception {
        Class<?> program = new Loader(classes).loadClass(name);
        boolean[] ended = {false};
        Thread thread = new Thread(() -> turns(program, ended));
        thread.setDaemon(true);
        thread.start();
        thread.join(MILLIS);
        for (int i = 0; i < TRIES && thread.isAlive(); i++) {
            thread.stop();
            thread.join(MILLIS / TRIES);
        }
        return ended[0];
    }

    // ---- all programs ----

    static Map<String, byte[]> read(Path folder, String glob) throws IOException {
        Map<String, byte[]> classes = new TreeMap<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, glob)) {
            for (Path path : found)
                classes.put(path.getFileName().toString().replace(".class", ""), Files.readAllBytes(path));
        }
        return classes;
    }

    static int mutate(String name, Map<String, byte[]> classes, Random random) {
        List<String> own = new ArrayList<>(classes.keySet());
        own.removeIf(other -> !other.equals(name) && !other.startsWith(name + "$"));
        int changes = 0, most = 1 + random.nextInt(CHANGES);
        for (int tries = 0; tries < TRIES && changes < most; tries++) {
            String which = random.nextInt(3) > 0 ? name : own.get(random.nextInt(own.size()));
            byte[] before = classes.get(which), after = before.clone();
            change(after, random);
            classes.put(which, after);
            if (!Arrays.equals(before, after) && isVerified(which, classes))
                changes++;
            else
                classes.put(which, before);
        }
        return changes;
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        Map<String, byte[]> common = read(Path.of(args[0]), "Fuzz*.class");
        for (String name : Arrays.copyOfRange(args, 2, args.length)) {
            Map<String, byte[]> classes = new TreeMap<>(common);
            classes.putAll(read(folder, "{" + name + "," + name + "$*}.class"));
            int changes = mutate(name, classes, new Random(name.hashCode()));
            if (!ends(name, classes)) {
                changes = 0;
            } else {
                classes.keySet().removeAll(common.keySet());
                for (Map.Entry<String, byte[]> c : classes.entrySet())
                    Files.write(folder.resolve(c.getKey() + ".class"), c.getValue());
            }
            System.out.println(name + " " + changes);
        }
        Runtime.getRuntime().halt(0); // whatever does not stop
    }
}
