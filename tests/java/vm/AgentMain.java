// SPDX-License-Identifier: Apache-2.0
// Java agents loaded into a running VM: agentmain with and without Instrumentation, options, class path, transformers,
// failures of each kind; native agents by name and path.
// @flags -Djdk.attach.allowAttachSelf=true
import com.sun.tools.attach.*;
import java.io.*;
import java.lang.instrument.*;
import java.nio.file.*;
import java.security.ProtectionDomain;
import java.util.*;
import java.util.jar.*;

public class AgentMain {
    static Instrumentation instrumentation;

    public static class Full {
        public static void agentmain(String options, Instrumentation inst) throws Exception {
            System.out.println("Full " + options + " " + inst.isRetransformClassesSupported() + inst.isRedefineClassesSupported()
                + inst.isNativeMethodPrefixSupported() + " " + Thread.currentThread().getName() + " " + Thread.currentThread().isDaemon());
            instrumentation = instrumentation == null ? inst : instrumentation;
        }
        public static void agentmain(String options) {
            System.out.println("not this one");
        }
        public static void premain(String options) {
            System.out.println("not premain");
        }
    }
    public static class Short {
        public static void agentmain(String options) {
            System.out.println("Short " + options);
        }
    }
    public static class Failing {
        public static void agentmain(String options) {
            throw new IllegalStateException("as asked: " + options);
        }
    }
    public static class Without {
        public static void premain(String options) {
            System.out.println("wrong");
        }
    }

    static File jar(String name, String... attributes) throws IOException {
        Manifest m = new Manifest();
        m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        for (int i = 0; i < attributes.length; i += 2) {
            m.getMainAttributes().putValue(attributes[i], attributes[i + 1]);
        }
        File f = folder.resolve(name + ".jar").toFile();
        new JarOutputStream(new FileOutputStream(f), m).close();
        return f;
    }
    static Path folder;
    static VirtualMachine vm;

    interface Action {
        void run() throws Exception;
    }
    static void load(String what, Action a) {
        try {
            a.run();
            System.out.println(what + ": done");
        } catch (Throwable t) {
            System.out.println(what + ": " + t.toString().replace(folder.toString(), "FOLDER") + (t instanceof AgentInitializationException e ? " " + e.returnValue() : ""));
        }
    }
    static void agent(String name, String options, String... attributes) {
        load(name, () -> vm.loadAgent(jar(name, attributes).getPath(), options));
    }
    static int answer() {
        return 1;
    }

    public static void main(String[] args) throws Exception {
        folder = Files.createTempDirectory("agents");
        vm = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
        System.out.println(vm.provider().name() + " " + vm.provider().type());
        PrintStream err = System.err;
        System.setErr(System.out); // what the agents' failures print
        agent("full", "some options", "Agent-Class", "AgentMain$Full", "Can-Retransform-Classes", "true", "Can-Redefine-Classes", "true",
            "Can-Set-Native-Method-Prefix", "true");
        agent("plain", null, "Agent-Class", "AgentMain$Full");
        agent("short", "", "Agent-Class", "AgentMain$Short");
        agent("failing", "x", "Agent-Class", "AgentMain$Failing");
        agent("without", "x", "Agent-Class", "AgentMain$Without");
        agent("absent", "x", "Agent-Class", "no.such.Agent");
        agent("unnamed", "x");
        load("no jar", () -> vm.loadAgent(folder.resolve("none.jar").toString()));
        Files.writeString(folder.resolve("text.jar"), "not a jar");
        load("bad jar", () -> vm.loadAgent(folder.resolve("text.jar").toString()));
        load("null", () -> vm.loadAgent(null));
        load("no library", () -> vm.loadAgentLibrary("nosuchlibrary", "x"));
        load("no path", () -> vm.loadAgentPath(folder.resolve("nosuch.so").toString()));
        System.out.println(instrumentation.getAllLoadedClasses().length > 300);
        System.out.println(answer());
        ClassFileTransformer t = new ClassFileTransformer() {
            public byte[] transform(ClassLoader l, String name, Class<?> c, ProtectionDomain d, byte[] bytes) {
                if ("AgentMain".equals(name)) {
                    System.out.println("sees " + name + " " + (c != null));
                }
                return null;
            }
        };
        System.out.println(instrumentation.isRetransformClassesSupported());
        instrumentation.addTransformer(t, false);
        Class.forName("AgentMain$Late");
        System.out.println(instrumentation.removeTransformer(t) + " " + instrumentation.removeTransformer(t));
        Properties agentProperties = vm.getAgentProperties(), system = vm.getSystemProperties();
        System.out.println(agentProperties.getProperty("sun.java.command") + " " + system.getProperty("java.specification.version"));
        vm.detach();
        load("detached", () -> vm.loadAgent("x.jar"));
        for (File f : folder.toFile().listFiles()) {
            f.delete();
        }
        Files.delete(folder);
        System.setErr(err);
    }
    static class Late {}
}
