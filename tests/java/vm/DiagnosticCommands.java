// SPDX-License-Identifier: Apache-2.0
// Diagnostic commands by the attach socket: how they describe themselves, and what they answer of this program.
// @flags -Djdk.attach.allowAttachSelf=true -XX:+UseSerialGC
// @mask 0x[0-9a-f]+|\[\d+ bytes in [0-9.]+ secs\]|commands\d+
// @jdk 17.0.19
import com.sun.tools.attach.VirtualMachine;
import java.io.File;
import java.net.UnixDomainSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public class DiagnosticCommands {
    interface Shape {}
    static class Base implements Shape, Comparable<Base> {
        public int compareTo(Base b) {
            return 0;
        }
    }
    static class Derived extends Base {}
    static class Slow {
        @SuppressWarnings("removal")
        protected void finalize() throws Exception {
            Thread.sleep(100000);
        }
    }
    static final List<Object> kept = new ArrayList<>();

    static String request(String... texts) throws Exception {
        StringBuilder s = new StringBuilder("1\0");
        for (int i = 0; i < 4; i++)
            s.append(i < texts.length ? texts[i] : "").append('\0');
        try (SocketChannel c = SocketChannel.open(UnixDomainSocketAddress.of("/tmp/.java_pid" + ProcessHandle.current().pid()))) {
            c.write(ByteBuffer.wrap(s.toString().getBytes(StandardCharsets.UTF_8)));
            return new String(Channels.newInputStream(c).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
    static void ask(String... texts) throws Exception {
        System.out.println(String.join(" | ", texts) + " -> " + request(texts));
    }
    static void show(String command, String... patterns) throws Exception {
        System.out.println(command);
        for (String line : request("jcmd", command).split("\n"))
            for (String p : patterns)
                if (line.matches(p))
                    System.out.println("  " + line);
    }
    static void help() throws Exception { // GC.heap_dump has options of ours
        for (String name : List.of("Compiler.codecache", "Compiler.codelist", "Compiler.queue", "GC.class_histogram", "GC.finalizer_info",
                "GC.heap_info", "GC.run", "GC.run_finalization", "JVMTI.agent_load", "JVMTI.data_dump",
                "ManagementAgent.start", "ManagementAgent.start_local", "ManagementAgent.status", "ManagementAgent.stop",
                "System.trim_native_heap", "Thread.print", "VM.class_hierarchy", "VM.classloader_stats", "VM.classloaders",
                "VM.command_line", "VM.dynlibs", "VM.events", "VM.flags", "VM.info", "VM.native_memory", "VM.print_touched_methods", "VM.set_flag", "VM.stringtable",
                "VM.symboltable", "VM.system_properties", "VM.systemdictionary", "VM.uptime", "VM.version", "help"))
            ask("jcmd", "help " + name);
    }
    static void classes() throws Exception {
        ask("jcmd", "VM.class_hierarchy DiagnosticCommands$Derived");
        ask("jcmd", "VM.class_hierarchy -i DiagnosticCommands$Derived");
        ask("jcmd", "VM.class_hierarchy -s DiagnosticCommands$Base");
        ask("jcmd", "VM.class_hierarchy DiagnosticCommands$Shape");
        ask("jcmd", "VM.class_hierarchy no.Such");
        show("VM.classloaders", ".*(bootstrap|\"app\"|\"platform\"|URLClassLoader).*");
        show("VM.classloaders show-classes", ".*(Kept|Derived).*");
        show("VM.flags -all", "\\[Global flags\\]", ".* (AdaptiveSizePolicyWeight|BiasedLockingDecayTime|FlightRecorderOptions|MaxJavaStackTraceDepth|UseNUMA) .*");
        show("VM.metaspace basic scale=xx", "Invalid scale.*|Usage:|Virtual space:|MaxMetaspaceSize: .*");
        show("VM.metaspace show-loaders show-classes", "Usage per loader:", ".* 1:    DiagnosticCommands.(Kept|Derived)");
        show("VM.systemdictionary", "System Dictionary for '(bootstrap|app)' class loader statistics:");
        show("VM.stringtable", "StringTable statistics:");
        show("VM.symboltable", "SymbolTable statistics:");
    }
    static void heap(Path folder) throws Exception {
        ask("jcmd", "GC.heap_dump");
        ask("jcmd", "GC.heap_dump -gz=10 x");
        show("GC.heap_dump " + folder.resolve("a.hprof"), "Heap dump file created.*|Unable.*");
        show("GC.heap_dump " + folder.resolve("a.hprof"), "Heap dump file created.*");
        show("GC.heap_dump -overwrite " + folder.resolve("a.hprof"), "Heap dump file created.*");
        show("GC.heap_dump -all -gz=1 " + folder.resolve("b.hprof.gz"), "Heap dump file created.*");
        System.out.println(Files.size(folder.resolve("a.hprof")) > 100000);
        Path full = Files.createSymbolicLink(folder.resolve("full.hprof"), Path.of("/dev/full"));
        show("GC.heap_dump -overwrite " + full, "Dump file is incomplete: .*", "Unable.*");
        System.out.println("kept: " + Files.isSymbolicLink(full));
        ask("dumpheap");
        ask("dumpheap", "/nosuch/x", "-live");
        ask("dumpheap", folder + "/c", "-foo");
        ask("inspectheap", "x");
        System.out.println(request("inspectheap", "-all", folder + "/histogram").startsWith("0\nHeap inspection file created: "));
        System.out.println(Files.readString(folder.resolve("histogram")).contains(" num     #instances         #bytes  class name (module)"));
        show("GC.class_histogram", " num .*");
        ask("jcmd", "GC.class_histogram -parallel=-1");
        ask("inspectheap", "-live", "", "few");
        ask("jcmd", "GC.finalizer_info");
        for (int i = 0; i < 4; i++)
            new Slow();
        System.gc();
        for (int i = 0; i < 1500 && !request("jcmd", "GC.finalizer_info").contains("3  DiagnosticCommands$Slow"); i++)
            Thread.sleep(20);
        ask("jcmd", "GC.finalizer_info");
        ask("jcmd", "GC.run_finalization x");
    }
    static void tell(String command, String... parts) throws Exception {
        String answer = request("jcmd", command);
        for (String part : parts) {
            System.out.println(command + " tells " + part + ": " + answer.contains(part));
        }
    }
    static void recent() throws Exception {
        try {
            System.out.println(args0[kept.size()]);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        Class.forName("java.util.zip.Adler32");
        Class.forName("DiagnosticCommands$Slow", true, new URLClassLoader(new URL[] {Path.of(System.getProperty("java.class.path")
            .split(File.pathSeparator)[0]).toUri().toURL()}, null));
        System.gc();
        Thread t = new Thread(() -> { });
        t.start();
        t.join();
        while (!request("jcmd", "VM.events log=events").contains("Thread exited: ")) // it may have to go on for that
            Thread.sleep(1);
        tell("VM.events", "Classes loaded (", "Classes unloaded (", "Classes redefined (0 events):\nNo events\n", "Internal exceptions (", "GC Heap History (",
            "Events (", "Dll operation events (", "(-1 events)");
        tell("VM.events log=exc", "java/lang/ArrayIndexOutOfBoundsException", "Index 4 out of bounds for length 0", "Classes loaded");
        tell("VM.events log=load", "class java/util/zip/Adler32", "class java/lang/Object");
        tell("VM.events log=Unload", "Unloading class 0x", "'DiagnosticCommands$Slow'");
        tell("VM.events log=events", "Thread added: ", "Thread exited: ");
        tell("VM.events log=dll", "Loaded shared library /", "/lib/libnet.so");
        tell("VM.events log=load max=1", "...(skipped)");
        tell("VM.events log=nothing", "The name \"nothing\" did not match any known event log. Valid event log names are:\n", "\"exc\" : Internal exceptions\n");
        tell("VM.events max=few", "Invalid max option: \"few\".\n");
        ask("jcmd", "VM.print_touched_methods");
        ask("jcmd", "VM.log what=gc=nonsense"); // nothing of it is printed here
        ask("jcmd", "VM.log");
        Path log = Path.of("rotated.log");
        ask("jcmd", "VM.log output=" + log + " what=logging=info output_options=filecount=2,filesize=100000");
        tell("VM.log list", "Available log levels:", "Available log decorators: time (t), utctime (utc), ", " #0: stdout all=warning uptime,level,tags\n",
            " #2: file=" + log + " all=off,logging=info uptime,level,tags filecount=2,filesize=100000B,async=false");
        for (int i = 0; i < 3; i++)
            ask("jcmd", "VM.log rotate");
        for (String suffix : new String[] {"", ".0", ".1", ".2"}) {
            Path file = Path.of(log + suffix);
            System.out.println(Files.deleteIfExists(file) + " " + suffix);
        }
        ask("jcmd", "VM.log disable");
    }
    static final String[] args0 = {};
    static void agent() throws Exception {
        ask("jcmd", "ManagementAgent.status");
        ask("jcmd", "ManagementAgent.start jmxremote.port=nonsense");
        ask("jcmd", "ManagementAgent.start_local");
        show("ManagementAgent.status", "Agent *:.*|Connection Type *:.*|Protocol *:.*");
        ask("jcmd", "ManagementAgent.stop");
    }
    public static void main(String[] args) throws Exception {
        VirtualMachine.attach(Long.toString(ProcessHandle.current().pid())).detach();
        kept.add(new Derived());
        for (int i = 0; i < 3; i++) {
            URLClassLoader l = new URLClassLoader(new URL[] {Path.of(System.getProperty("java.class.path").split(File.pathSeparator)[0]).toUri().toURL()}, null);
            kept.add(Class.forName("DiagnosticCommands$Shape", true, l));
        }
        help();
        classes();
        Path folder = Files.createTempDirectory("commands");
        heap(folder);
        recent();
        for (File f : folder.toFile().listFiles())
            f.delete();
        Files.delete(folder);
        agent();
        System.exit(0);
    }
}
