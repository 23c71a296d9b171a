// SPDX-License-Identifier: Apache-2.0
// Child processes: output, input, exit codes, environment, directory, redirects, timeouts, kill, ProcessHandle.
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.TimeUnit;

public class Procs {
    static String out(Process p) throws IOException {
        return new String(p.getInputStream().readAllBytes()).trim();
    }

    public static void main(String[] args) throws Exception {
        Process p = new ProcessBuilder("sh", "-c", "echo out; echo err >&2; exit 3").start();
        System.out.println(out(p) + " " + new String(p.getErrorStream().readAllBytes()).trim() + " " + p.waitFor() + " " + p.exitValue());
        ProcessBuilder pb = new ProcessBuilder("sh", "-c", "echo $MYVAR; pwd; cat");
        pb.environment().put("MYVAR", "val");
        pb.directory(new File("/"));
        pb.redirectErrorStream(true);
        Process q = pb.start();
        try (OutputStream o = q.getOutputStream()) {
            o.write("stdin\n".getBytes());
        }
        System.out.println(out(q).replace("\n", "|"));
        Process s = new ProcessBuilder("sleep", "1000").start();
        System.out.println(s.isAlive() + " " + s.waitFor(20, TimeUnit.MILLISECONDS));
        try {
            s.exitValue();
        } catch (IllegalThreadStateException e) {
            System.out.println(e.getMessage());
        }
        s.destroy();
        System.out.println(s.waitFor() + " " + s.toHandle().isAlive());
        Process k = Runtime.getRuntime().exec(new String[] {"sleep", "1000"});
        System.out.println(k.destroyForcibly().waitFor());
        try {
            new ProcessBuilder("/no/such/prog").start();
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
        Path t = Files.createTempFile("pltest", "");
        new ProcessBuilder("echo", "to file").redirectOutput(t.toFile()).start().waitFor();
        System.out.println(Files.readString(t).trim());
        Files.delete(t);
        Process h = new ProcessBuilder("true").start();
        System.out.println(h.onExit().get(10, TimeUnit.SECONDS).exitValue() + " " + (ProcessHandle.current().pid() > 1) + " " + ProcessHandle.current().isAlive());
        List<Process> ps = ProcessBuilder.startPipeline(List.of(new ProcessBuilder("echo", "a b"), new ProcessBuilder("wc", "-w")));
        System.out.println(out(ps.get(1)));
        System.out.println(System.getenv("PATH") != null);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process j = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "Procs$Child", "a", "b c", "").start();
        System.out.println(out(j) + " " + j.waitFor());
    }

    public static class Child {
        public static void main(String[] a) {
            System.out.print(Arrays.toString(a) + a.length);
            System.exit(9);
        }
    }
}
