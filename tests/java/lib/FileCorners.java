// SPDX-License-Identifier: Apache-2.0
// Corners of java.nio: a watched folder, attributes, links, a zip as a file system, sockets in the file system.
// @quick
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.MalformedInputException;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.stream.*;

public class FileCorners extends Try {
    static Path folder;

    static Object watch() throws Exception {
        Set<String> seen = new TreeSet<>();
        try (WatchService w = folder.getFileSystem().newWatchService()) {
            folder.register(w, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
            Files.delete(Files.writeString(folder.resolve("x"), "1"));
            WatchKey key;
            while (seen.size() < 2 && (key = w.poll(20, TimeUnit.SECONDS)) != null) {
                for (WatchEvent<?> e : key.pollEvents())
                    seen.add(e.kind() + " " + e.context());
                key.reset();
            }
        }
        return seen;
    }

    static void attributes() throws Exception {
        Path f = Files.writeString(folder.resolve("f.txt"), "h\u00e9llo\nworld\n");
        Files.setPosixFilePermissions(f, PosixFilePermissions.fromString("rw-r-----"));
        Files.setLastModifiedTime(f, FileTime.fromMillis(1_000_000_000_000L));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("f.txt"));
        t("permissions", () -> PosixFilePermissions.toString(Files.getPosixFilePermissions(f)));
        t("attributes", () -> new TreeMap<>(Files.readAttributes(f, "size,isDirectory,lastModifiedTime")));
        t("link", () -> Files.readSymbolicLink(link) + " " + Files.isSameFile(link, f) + " " + Files.mismatch(link, f));
        t("folder", () -> {
            try {
                return Files.createDirectory(folder);
            } catch (FileAlreadyExistsException e) {
                return "exists";
            }
        });
        t("not empty", () -> {
            try {
                Files.delete(folder);
                return "deleted";
            } catch (DirectoryNotEmptyException e) {
                return "kept";
            }
        });
        t("malformed", () -> {
            try {
                return Files.readAllLines(Files.write(folder.resolve("bad"), new byte[] {(byte) 0xff, 10}));
            } catch (MalformedInputException e) {
                return e.getMessage();
            }
        });
    }

    static void zip() throws Exception {
        Path zip = folder.resolve("z.zip");
        try (FileSystem fs = FileSystems.newFileSystem(URI.create("jar:" + zip.toUri()), Map.of("create", "true"))) {
            Files.createDirectories(fs.getPath("/a/b"));
            Files.writeString(fs.getPath("/a/b/c"), "x".repeat(10000));
            Files.copy(folder.resolve("f.txt"), fs.getPath("/f.txt"));
        }
        try (FileSystem fs = FileSystems.newFileSystem(zip); Stream<Path> all = Files.walk(fs.getPath("/"))) {
            System.out.println(all.map(Path::toString).sorted().collect(Collectors.toList()) + " " + Files.size(fs.getPath("a/b/c")));
        }
    }

    static void sockets() throws Exception {
        UnixDomainSocketAddress at = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(at);
            try (SocketChannel c = SocketChannel.open(at); SocketChannel s = server.accept()) {
                c.write(ByteBuffer.wrap("hi".getBytes()));
                ByteBuffer b = ByteBuffer.allocate(10);
                System.out.println(s.read(b) + " " + c.getRemoteAddress().equals(at));
            }
        }
        t("nobody", () -> SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("none"))));
    }

    public static void main(String[] args) throws Exception {
        folder = Files.createTempDirectory(Path.of("").toAbsolutePath(), "corners");
        t("watch", FileCorners::watch);
        attributes();
        zip();
        sockets();
    }
}
