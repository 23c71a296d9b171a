// SPDX-License-Identifier: Apache-2.0
// Damages a class file at a place that has a meaning: an opcode, an operand, an index or tag of the constant pool, a flag, a
// length, a frame of StackMapTable, a whole attribute or member. The same random numbers make the same mutant.
import java.nio.charset.StandardCharsets;
import java.util.*;

class Mutator {
    /** An attribute, field or method: bytes from `start` to `end`, counted at `count`, inside the attributes whose lengths stand at `outer`. */
    record Part(int start, int end, int count, List<Integer> outer, String name) {}

    record Insn(int at, int length, int codeEnd) {}

    private static final int[] VERSIONS = {44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 58, 60, 61, 62};
    // How long an instruction is, by opcode, one letter each: "a" has one byte; 0 is a switch, wide or no instruction.
    private static final String LENGTHS = "a".repeat(16) + "bcbcc" + "b".repeat(5) + "a".repeat(28) + "b".repeat(5) + "a".repeat(73)
        + "c" + "a".repeat(20) + "c".repeat(16) + "b00" + "a".repeat(6) + "c".repeat(7) + "ee" + "cbc" + "aa" + "cc" + "aa" + "0d" + "cc" + "ee";

    private final Random random;
    private byte[] b;
    private int[] cp; // offsets of the tags
    private final List<Integer> indices = new ArrayList<>(); // u2 that are indices into the constant pool
    private final List<Integer> numbers = new ArrayList<>(); // other u2
    private final List<Integer> flags = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>(); // u4
    private final List<Integer> maxima = new ArrayList<>(); // max_stack, max_locals, code_length + 2
    private final List<Integer> handlers = new ArrayList<>(); // u2 of exception tables
    private final List<int[]> frames = new ArrayList<>(); // bodies of StackMapTable
    private final List<int[]> bodies = new ArrayList<>(); // of all attributes
    private final List<Part> attributes = new ArrayList<>();
    private final List<Part> members = new ArrayList<>();
    private final List<Part> codes = new ArrayList<>();
    private final List<Insn> code = new ArrayList<>();
    private int end;

    Mutator(byte[] good, Random random) {
        b = good.clone();
        this.random = random;
        scan();
    }

    // ---- reading ----

    private int u1(int at) {
        return b[at] & 255;
    }

    private int u2(int at) {
        return u1(at) << 8 | u1(at + 1);
    }

    private int u4(int at) {
        return u2(at) << 16 | u2(at + 2);
    }

    private void put2(int at, int v) {
        b[at] = (byte) (v >> 8);
        b[at + 1] = (byte) v;
    }

    private void put4(int at, int v) {
        put2(at, v >> 16);
        put2(at + 2, v);
    }

    private String text(int index) {
        return index > 0 && index < cp.length && cp[index] != 0 && u1(cp[index]) == 1
            ? new String(b, cp[index] + 3, u2(cp[index] + 1), StandardCharsets.ISO_8859_1) : "";
    }

    private void scan() {
        int at = scanPool(10);
        flags.add(at);
        indices.add(at + 2);
        indices.add(at + 4);
        numbers.add(at + 6);
        int n = u2(at + 6);
        at += 8;
        for (int i = 0; i < n; i++, at += 2) {
            indices.add(at);
        }
        at = scanMembers(scanMembers(at));
        end = scanAttributes(at, List.of());
    }

    private int scanPool(int at) {
        cp = new int[u2(8)];
        for (int i = 1; i < cp.length; i++) {
            cp[i] = at;
            int tag = u1(at);
            switch (tag) {
            case 1 -> at += 3 + u2(at + 1);
            case 3, 4 -> at += 5;
            case 5, 6 -> {
                at += 9;
                i++;
            }
            case 7, 8, 16, 19, 20 -> {
                indices.add(at + 1);
                at += 3;
            }
            case 15 -> {
                indices.add(at + 2);
                at += 4;
            }
            default -> {
                (tag == 17 || tag == 18 ? numbers : indices).add(at + 1);
                indices.add(at + 3);
                at += 5;
            }
            }
        }
        return at;
    }

    private int scanMembers(int at) {
        int count = at;
        int n = u2(at);
        at += 2;
        numbers.add(count);
        for (int i = 0; i < n; i++) {
            int start = at;
            flags.add(at);
            indices.add(at + 2);
            indices.add(at + 4);
            at = scanAttributes(at + 6, List.of());
            members.add(new Part(start, at, count, List.of(), text(u2(start + 2))));
        }
        return at;
    }

    private int scanAttributes(int at, List<Integer> outer) {
        int count = at;
        int n = u2(at);
        numbers.add(at);
        at += 2;
        for (int i = 0; i < n; i++) {
            int next = at + 6 + u4(at + 2);
            String name = text(u2(at));
            Part p = new Part(at, next, count, outer, name);
            attributes.add(p);
            indices.add(at);
            lengths.add(at + 2);
            bodies.add(new int[] {at + 6, next});
            if (name.equals("Code")) {
                codes.add(p);
                scanCode(at + 6, List.of(at + 2));
            } else if (name.equals("StackMapTable")) {
                frames.add(new int[] {at + 6, next});
            }
            at = next;
        }
        return at;
    }

    private void scanCode(int at, List<Integer> outer) {
        maxima.add(at);
        maxima.add(at + 2);
        maxima.add(at + 6);
        int from = at + 8;
        int to = from + u4(at + 4);
        for (int pc = from; pc < to;) {
            int length = instruction(pc, from);
            code.add(new Insn(pc, Math.min(length, to - pc), to));
            pc += length;
        }
        numbers.add(to);
        int n = u2(to);
        at = to + 2;
        for (int i = 0; i < 4 * n; i++, at += 2) {
            handlers.add(at);
        }
        scanAttributes(at, outer);
    }

    private int instruction(int pc, int from) {
        int op = u1(pc);
        int aligned = from + ((pc - from + 4) & ~3);
        return switch (op) {
            case 0xaa -> aligned + 12 + 4 * (u4(aligned + 8) - u4(aligned + 4) + 1) - pc;
            case 0xab -> aligned + 8 + 8 * u4(aligned + 4) - pc;
            case 0xc4 -> u1(pc + 1) == 0x84 ? 6 : 4;
            default -> op < LENGTHS.length() ? LENGTHS.charAt(op) - 'a' + 1 : 1;
        };
    }

    // ---- changing ----

    private <T> T any(List<T> l) {
        return l.isEmpty() ? null : l.get(random.nextInt(l.size()));
    }

    private static final int[] EDGES = {0, 1, 2, 3, 4, 5, 255, 256, 32767, 32768, 65534, 65535};

    private int number(int old) {
        return switch (random.nextInt(6)) {
            case 0 -> old + 1;
            case 1 -> old - 1;
            case 2 -> old ^ 1 << random.nextInt(16);
            case 3 -> EDGES[random.nextInt(EDGES.length)];
            case 4 -> random.nextInt(64);
            default -> random.nextInt(65536);
        };
    }

    private int pool(int old) {
        int tag = old > 0 && old < cp.length && cp[old] != 0 ? u1(cp[old]) : 0;
        int how = random.nextInt(8);
        for (int i = 0; i < 40 && how < 5 && tag != 0; i++) {
            int other = random.nextInt(cp.length);
            if (cp[other] != 0 && u1(cp[other]) == tag && other != old) {
                return other;
            }
        }
        return how < 7 ? random.nextInt(cp.length + 1) : number(old);
    }

    private String set2(String what, Integer at, boolean index) {
        if (at == null) {
            return null;
        }
        int old = u2(at);
        put2(at, index ? pool(old) : number(old));
        return what + " at " + at + " " + old + "->" + u2(at);
    }

    private String opcode() {
        Insn i = any(code);
        if (i == null) {
            return null;
        }
        int old = u1(i.at);
        int op = old;
        for (int n = 0; n < 100; n++) {
            op = random.nextInt(n < 90 ? 202 : 256);
            if (op < LENGTHS.length() && LENGTHS.charAt(op) - 'a' + 1 == i.length && op != old) {
                break;
            }
        }
        if (random.nextInt(6) == 0) {
            op = random.nextInt(256);
        }
        b[i.at] = (byte) op;
        return "opcode at " + i.at + " " + old + "->" + op;
    }

    private String operand() {
        Insn i = any(code);
        for (int n = 0; n < 20 && i != null && i.length < 2; n++) {
            i = any(code);
        }
        if (i == null || i.length < 2) {
            return null;
        }
        int op = u1(i.at);
        if (i.length >= 3 && (op >= 0xb2 && op <= 0xbd && op != 0xbc || op == 0xc0 || op == 0xc1 || op == 0x13 || op == 0x14)) {
            return set2("operand of " + op, i.at + 1, true);
        }
        int at = i.at + 1 + random.nextInt(i.length - 1);
        int old = u1(at);
        b[at] = (byte) (op == 0x12 ? pool(old) : random.nextBoolean() ? random.nextInt(12) : number(old));
        return "operand of " + op + " at " + at + " " + old + "->" + u1(at);
    }

    private String nops() {
        Insn i = any(code);
        if (i == null) {
            return null;
        }
        Arrays.fill(b, i.at, i.at + i.length, (byte) 0);
        return "nops at " + i.at;
    }

    private String exchange() {
        Insn i = any(code);
        for (int n = 0; n < 30; n++) {
            Insn o = any(code);
            if (o != null && o.at != i.at && o.length == i.length && o.codeEnd == i.codeEnd) {
                for (int k = 0; k < i.length; k++) {
                    byte t = b[i.at + k];
                    b[i.at + k] = b[o.at + k];
                    b[o.at + k] = t;
                }
                return "exchange of " + i.at + " and " + o.at;
            }
        }
        return null;
    }

    private String tag() {
        int i = 1 + random.nextInt(cp.length - 1);
        if (cp[i] == 0) {
            return null;
        }
        int old = u1(cp[i]);
        int[] alike = old == 7 || old == 8 || old == 16 ? new int[] {7, 8, 16, 19, 20} : old == 3 || old == 4 ? new int[] {3, 4}
            : old >= 9 && old <= 12 || old > 16 ? new int[] {9, 10, 11, 12, 17, 18, 3, 4} : new int[] {5, 6, 1, 15};
        b[cp[i]] = (byte) (random.nextInt(4) == 0 ? random.nextInt(22) : alike[random.nextInt(alike.length)]);
        return "tag of " + i + " " + old + "->" + u1(cp[i]);
    }

    private String utf8() {
        for (int n = 0; n < 50; n++) {
            int i = 1 + random.nextInt(cp.length - 1);
            if (cp[i] == 0 || u1(cp[i]) != 1 || u2(cp[i] + 1) == 0) {
                continue;
            }
            int at = cp[i] + 3 + random.nextInt(u2(cp[i] + 1));
            int old = u1(at);
            String chars = "IJFDBCSZLV[;()/.<>aA$-\0\200\355";
            b[at] = (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : chars.charAt(random.nextInt(chars.length())));
            return "text of " + i + " at " + at + " " + old + "->" + u1(at);
        }
        return null;
    }

    private String flag() {
        int at = any(flags);
        int old = u2(at);
        put2(at, old ^ 1 << random.nextInt(16));
        return "flags at " + at + " " + Integer.toHexString(old) + "->" + Integer.toHexString(u2(at));
    }

    private String length() {
        Integer at = any(lengths);
        if (at == null) {
            return null;
        }
        int old = u4(at);
        put4(at, switch (random.nextInt(4)) {
            case 0 -> old + 1;
            case 1 -> old - 1;
            case 2 -> old + random.nextInt(40) - 20;
            default -> random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(2 * old + 4);
        });
        return "length at " + at + " " + old + "->" + u4(at);
    }

    private String byteOf(String what, int[] range) {
        if (range == null || range[1] <= range[0]) {
            return null;
        }
        int at = range[0] + random.nextInt(range[1] - range[0]);
        int old = u1(at);
        b[at] = (byte) (random.nextInt(3) == 0 ? number(old) : random.nextInt(10));
        return what + " at " + at + " " + old + "->" + u1(at);
    }

    // Puts `with` in the place of the bytes from `from` to `to`; the attributes around get their new lengths.
    private void splice(int from, int to, byte[] with, List<Integer> outer) {
        byte[] r = new byte[b.length - (to - from) + with.length];
        System.arraycopy(b, 0, r, 0, from);
        System.arraycopy(with, 0, r, from, with.length);
        System.arraycopy(b, to, r, from + with.length, b.length - to);
        b = r;
        for (int at : outer) {
            put4(at, u4(at) + with.length - (to - from));
        }
    }

    private String drop(String what, Part p) {
        if (p == null) {
            return null;
        }
        put2(p.count, u2(p.count) - 1);
        splice(p.start, p.end, new byte[0], p.outer);
        return what + " " + p.name + " at " + p.start + " dropped";
    }

    private String twice(String what, Part p) {
        if (p == null) {
            return null;
        }
        put2(p.count, u2(p.count) + 1);
        splice(p.end, p.end, Arrays.copyOfRange(b, p.start, p.end), p.outer);
        return what + " " + p.name + " at " + p.start + " twice";
    }

    private String foreignBody() {
        Part p = any(codes);
        Part o = any(codes);
        if (p == null || o.start == p.start) {
            return null;
        }
        splice(p.start, p.end, Arrays.copyOfRange(b, o.start, o.end), p.outer);
        return "bodies at " + p.start + " from " + o.start;
    }

    private String size() {
        if (random.nextInt(3) == 0) {
            b = Arrays.copyOf(b, b.length + 1 + random.nextInt(3));
            return "longer";
        }
        b = Arrays.copyOf(b, random.nextInt(b.length));
        return "cut at " + b.length;
    }

    private String version() {
        put2(6, VERSIONS[random.nextInt(VERSIONS.length)]);
        put2(4, random.nextInt(4) > 0 ? 0 : random.nextBoolean() ? 3 : 65535);
        return "version " + u2(6) + "." + u2(4);
    }

    private String one() {
        int dice = random.nextInt(100);
        if (dice < 18) {
            return opcode();
        }
        if (dice < 30) {
            return operand();
        }
        if (dice < 33) {
            return nops();
        }
        if (dice < 36) {
            return exchange();
        }
        if (dice < 40) {
            return tag();
        }
        if (dice < 47) {
            return set2("index", any(indices), true);
        }
        if (dice < 50) {
            return set2("number", any(numbers), false);
        }
        if (dice < 54) {
            return utf8();
        }
        if (dice < 59) {
            return flag();
        }
        if (dice < 62) {
            return length();
        }
        if (dice < 72) {
            return byteOf("frame", any(frames));
        }
        if (dice < 76) {
            return set2("maximum", any(maxima), false);
        }
        if (dice < 81) {
            return set2("handler", any(handlers), random.nextInt(4) == 0);
        }
        if (dice < 85) {
            return byteOf("body", any(bodies));
        }
        if (dice < 88) {
            return drop("attribute", any(attributes));
        }
        if (dice < 91) {
            return twice("attribute", any(attributes));
        }
        if (dice < 92) {
            return drop("member", any(members));
        }
        if (dice < 94) {
            return twice("member", any(members));
        }
        if (dice < 96) {
            return foreignBody();
        }
        return dice < 97 ? size() : dice < 98 ? version() : byteOf("byte", new int[] {8, end});
    }

    /** Damages the class once; what was done. */
    String damage() {
        for (;;) {
            String done = one();
            if (done != null) {
                return done;
            }
        }
    }

    byte[] bytes() {
        return b;
    }
}
