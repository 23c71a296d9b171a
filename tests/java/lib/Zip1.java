// SPDX-License-Identifier: Apache-2.0
// zip, gzip, deflate, checksums, jar files and manifests, the zip file system.
// @quick
import java.io.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.zip.*;

public class Zip1 {
    public static void main(String[] args) throws Exception {
        byte[] data = new byte[20000];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i * i >> 5);
        }
        CRC32 crc = new CRC32();
        crc.update(data);
        Adler32 ad = new Adler32();
        ad.update(data);
        CRC32C cc = new CRC32C();
        cc.update(data, 3, 1000);
        System.out.println(crc.getValue() + " " + ad.getValue() + " " + cc.getValue());
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        try (GZIPOutputStream g = new GZIPOutputStream(bo)) {
            g.write(data);
        }
        byte[] back = new GZIPInputStream(new ByteArrayInputStream(bo.toByteArray())).readAllBytes();
        System.out.println(Arrays.equals(data, back));
        Deflater de = new Deflater(9, true);
        de.setInput(data);
        de.finish();
        byte[] out = new byte[30000];
        int n = de.deflate(out);
        Inflater in = new Inflater(true);
        in.setInput(out, 0, n);
        byte[] res = new byte[20000];
        System.out.println(in.inflate(res) + " " + Arrays.equals(res, data) + " " + de.getTotalIn());
        try {
            Inflater bad = new Inflater();
            bad.setInput(new byte[] {1, 2, 3});
            bad.inflate(res);
        } catch (DataFormatException e) {
            System.out.println(e.getMessage());
        }
        Path p = Files.createTempFile("pltest", ".jar");
        Manifest m = new Manifest();
        m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        m.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "X");
        try (JarOutputStream j = new JarOutputStream(Files.newOutputStream(p), m)) {
            j.putNextEntry(new ZipEntry("a/b.txt"));
            j.write("hello".getBytes());
            j.closeEntry();
            ZipEntry st = new ZipEntry("stored");
            st.setMethod(ZipEntry.STORED);
            st.setSize(data.length);
            st.setCrc(crc.getValue());
            j.putNextEntry(st);
            j.write(data);
            j.closeEntry();
        }
        try (JarFile jf = new JarFile(p.toFile())) {
            System.out.println(jf.getManifest().getMainAttributes().getValue("Main-Class") + " " + jf.size() + " " + jf.getEntry("a/b.txt").getSize() + " " + jf.getEntry("no"));
            System.out.println(new String(jf.getInputStream(jf.getEntry("a/b.txt")).readAllBytes()) + Arrays.equals(jf.getInputStream(jf.getEntry("stored")).readAllBytes(), data));
            for (Enumeration<JarEntry> e = jf.entries(); e.hasMoreElements();) {
                System.out.print(e.nextElement().getName() + " ");
            }
            System.out.println();
        }
        try (FileSystem fs = FileSystems.newFileSystem(URI.create("jar:" + p.toUri()), Map.of())) {
            System.out.println(Files.readString(fs.getPath("/a/b.txt")));
            Files.writeString(fs.getPath("new"), "added");
        }
        try (ZipInputStream z = new ZipInputStream(Files.newInputStream(p))) {
            for (ZipEntry e; (e = z.getNextEntry()) != null;) {
                System.out.print(e.getName() + ":" + z.readAllBytes().length + " ");
            }
            System.out.println();
        }
        Files.write(p, new byte[] {1, 2, 3, 4});
        try (ZipFile z = new ZipFile(p.toFile())) {
            System.out.println(z.size());
        } catch (ZipException e) {
            System.out.println(e.getMessage());
        }
        Files.delete(p);
    }
}
