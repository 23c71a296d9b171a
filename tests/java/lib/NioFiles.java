// SPDX-License-Identifier: Apache-2.0
// Files, channels, mapped and direct buffers, RandomAccessFile, attributes, walking, the old File API.
// @quick
import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import java.util.stream.*;

public class NioFiles {
    public static void main(String[] args) throws Exception {
        Path d = Files.createTempDirectory("pltest");
        try {
            Path f = d.resolve("a.txt");
            Files.writeString(f, "line1\nline2 \u00e9\u4e2d\n");
            System.out.println(Files.readAllLines(f) + " " + Files.size(f) + " " + Files.exists(f) + Files.isDirectory(d));
            Files.write(f, "more".getBytes(), StandardOpenOption.APPEND);
            try (BufferedReader r = Files.newBufferedReader(f)) {
                System.out.println(r.lines().collect(Collectors.joining("|")));
            }
            Files.copy(f, d.resolve("b.txt"));
            Files.move(d.resolve("b.txt"), d.resolve("c.txt"));
            Files.createDirectories(d.resolve("x/y/z"));
            Files.createSymbolicLink(d.resolve("link"), f);
            System.out.println(Files.isSymbolicLink(d.resolve("link")) + " " + Files.isSameFile(f, d.resolve("link")) + " " + Files.readSymbolicLink(d.resolve("link")).getFileName());
            Files.setPosixFilePermissions(f, PosixFilePermissions.fromString("rw-r-----"));
            System.out.println(PosixFilePermissions.toString(Files.getPosixFilePermissions(f)) + " " + Files.isExecutable(f));
            Files.setLastModifiedTime(f, FileTime.fromMillis(1000000000000L));
            System.out.println(Files.readAttributes(f, BasicFileAttributes.class).lastModifiedTime() + " " + f.toFile().lastModified());
            try (Stream<Path> w = Files.walk(d)) {
                System.out.println(w.map(p -> d.relativize(p).toString()).sorted().collect(Collectors.toList()));
            }
            for (Path miss : new Path[] {d.resolve("none"), d.resolve("x")}) {
                try {
                    Files.delete(miss);
                } catch (IOException e) {
                    System.out.println(e.getClass().getSimpleName());
                }
            }
            try (FileChannel c = FileChannel.open(d.resolve("ch"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                ByteBuffer bb = ByteBuffer.allocateDirect(64);
                bb.putInt(1).putLong(2).putDouble(3.5).putChar('c').flip();
                System.out.println(c.write(bb) + " " + c.position() + " " + c.size());
                MappedByteBuffer m = c.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
                System.out.println(m.getInt() + " " + m.getLong() + " " + m.getDouble() + " " + m.getChar() + " " + m.isDirect());
                m.put(100, (byte) 7);
                m.force();
                ByteBuffer one = ByteBuffer.allocate(1);
                c.read(one, 100);
                System.out.println(one.get(0));
                try (FileLock l = c.tryLock()) {
                    System.out.println(l.isValid() + " " + l.isShared());
                }
                c.truncate(10);
                System.out.println(c.size());
                ByteBuffer[] sc = {ByteBuffer.wrap("ab".getBytes()), ByteBuffer.wrap("cd".getBytes())};
                c.position(0);
                System.out.println(c.write(sc) + " " + c.transferTo(0, 4, Channels.newChannel(new ByteArrayOutputStream())));
            }
            try (RandomAccessFile r = new RandomAccessFile(d.resolve("raf").toFile(), "rw")) {
                r.writeUTF("utf\u0000\u00e9");
                r.seek(100);
                r.writeLong(-5);
                r.seek(0);
                System.out.println(r.readUTF().length() + " " + r.length() + " " + r.getFilePointer());
                r.seek(100);
                System.out.println(r.readLong());
                try {
                    r.readInt();
                } catch (EOFException e) {
                    System.out.println("EOF");
                }
            }
            File old = d.toFile();
            String[] names = old.list();
            Arrays.sort(names);
            System.out.println(Arrays.toString(names) + " " + new File(old, "a.txt").length() + new File(old, "zz").delete() + new File(old, "new").createNewFile()
                + new File(old, "q/../new").getCanonicalFile().getName());
            try {
                new FileInputStream(new File(old, "nope"));
            } catch (FileNotFoundException e) {
                System.out.println(e.getMessage().replace(d.toString(), "D"));
            }
            try (DataOutputStream o = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(new File(old, "data"))))) {
                for (int i = 0; i < 1000; i++) {
                    o.writeInt(i);
                }
            }
            try (DataInputStream i = new DataInputStream(new BufferedInputStream(new FileInputStream(new File(old, "data"))))) {
                int s = 0;
                while (i.available() > 0) {
                    s += i.readInt();
                }
                System.out.println(s);
            }
            try (DirectoryStream<Path> ds = Files.newDirectoryStream(d, "*.txt")) {
                List<String> l = new ArrayList<>();
                ds.forEach(p -> l.add(p.getFileName().toString()));
                Collections.sort(l);
                System.out.println(l);
            }
            System.out.println(Path.of("/a/b/../c/./d").normalize() + " " + Path.of("a").resolve("/b") + " " + Path.of("/x/y").relativize(Path.of("/x/z/w")) + " "
                + FileSystems.getDefault().getPathMatcher("glob:*.{java,c}").matches(Path.of("t.c")));
            System.out.println(new String(Files.readAllBytes(f), StandardCharsets.ISO_8859_1).length());
        } finally {
            try (Stream<Path> w = Files.walk(d)) {
                w.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
            }
        }
        System.out.println(Files.exists(d));
        IntBuffer ib = IntBuffer.allocate(5);
        ib.put(1).put(2).flip();
        ByteBuffer le = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        le.asIntBuffer().put(0x01020304);
        System.out.println(ib + " " + le.get(0) + " " + le.order() + " " + ByteBuffer.allocateDirect(100).slice(10, 20).capacity());
        try {
            le.getLong(1);
        } catch (IndexOutOfBoundsException e) {
            System.out.println(e.getClass().getSimpleName());
        }
    }
}
