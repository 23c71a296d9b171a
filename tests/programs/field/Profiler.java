// SPDX-License-Identifier: Apache-2.0
// VisualVM's profiler without its windows: starts Profiled with the agent, has it calibrated and instrumented, and prints what was
// counted. Arguments: full, alloc or live, the java to profile, a port.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import org.graalvm.visualvm.lib.jfluid.*;
import org.graalvm.visualvm.lib.jfluid.client.*;
import org.graalvm.visualvm.lib.jfluid.filters.*;
import org.graalvm.visualvm.lib.jfluid.global.CommonConstants;
import org.graalvm.visualvm.lib.jfluid.results.*;
import org.graalvm.visualvm.lib.jfluid.results.cpu.*;
import org.graalvm.visualvm.lib.jfluid.results.memory.*;

public class Profiler implements AppStatusHandler {
    private void tell(String message) {
        if (!message.startsWith("The calibration was successful"))
            System.out.println("told: " + message);
    }

    public AsyncDialog getAsyncDialogInstance(String message, boolean progress, Runnable cancel) {
        return new AsyncDialog() {
            public void close() { }
            public void display() { }
        };
    }
    public void displayError(String m) { tell(m); }
    public void displayErrorAndWaitForConfirm(String m) { tell(m); }
    public void displayErrorWithDetailsAndWaitForConfirm(String m, String details) { tell(m); }
    public void displayNotification(String m) { tell(m); }
    public void displayNotificationAndWaitForConfirm(String m) { tell(m); }
    public void displayNotificationWithDetailsAndWaitForConfirm(String m, String details) { tell(m); }
    public void displayWarning(String m) { tell(m); }
    public void displayWarningAndWaitForConfirm(String m) { tell(m); }
    public void resultsAvailable() { }
    public void takeSnapshot() { }
    public boolean confirmWaitForConnectionReply() { return true; }
    public void handleShutdown() { tell("shutdown"); }
    public void pauseLiveUpdates() { }
    public void resumeLiveUpdates() { }

    static class NoPoints extends ProfilingPointsProcessor {
        public void profilingPointHit(RuntimeProfilingPoint.HitEvent e) { }
        public void timeAdjust(int thread, long a, long b) { }
        public void init(Object o) { }
        public RuntimeProfilingPoint[] getSupportedProfilingPoints() { return new RuntimeProfilingPoint[0]; }
    }

    static ProfilerEngineSettings settings(String java, int port) throws Exception {
        ProfilerEngineSettings s = new ProfilerEngineSettings();
        s.initialize("/usr/share/visualvm/visualvm/lib");
        s.setTargetJVMExeFile(java);
        s.setTargetJDKVersionString(CommonConstants.JDK_170_STRING);
        s.setSystemArchitecture(64);
        s.setPortNo(port);
        s.setRemoteHost("");
        s.setSeparateConsole(false);
        s.setVMClassPaths("", "", "");
        s.setMainClassPath(System.getProperty("user.dir"));
        s.setMainClass("Profiled");
        s.setWorkingDir(System.getProperty("user.dir"));
        s.setThreadsMonitoringEnabled(true);
        s.setInstrumentSpawnedThreads(false);
        s.setInstrumentGetterSetterMethods(true);
        s.setInstrumentEmptyMethods(true);
        s.setInstrScheme(CommonConstants.INSTRSCHEME_LAZY);
        s.setCPUProfilingType(CommonConstants.CPU_INSTR_FULL);
        s.setInstrumentationRootMethods(new ClientUtils.SourceCodeSelection[] {new ClientUtils.SourceCodeSelection("Profiled", "work", "(I)I")});
        s.setInstrumentationFilter(new InstrumentationFilter());
        s.setAllocTrackEvery(1);
        s.setAllocStackTraceLimit(0);
        s.setRunGCOnGetResultsInMemoryProfiling(true);
        return s;
    }

    static Map<String, String> memory(ProfilerClient client) throws Exception {
        Map<String, String> lines = new TreeMap<>();
        client.forceObtainedResultsDump(true);
        MemoryResultsSnapshot m = client.getMemoryProfilingResultsSnapshot();
        for (int i = 0; i < m.getNProfiledClasses(); i++)
            if (m instanceof LivenessMemoryResultsSnapshot l)
                lines.put(m.getClassName(i), l.getNTrackedAllocObjects()[i] + " live " + l.getNTrackedLiveObjects()[i]);
            else if (i < ((AllocMemoryResultsSnapshot) m).getObjectsCounts().length)
                lines.put(m.getClassName(i), "" + ((AllocMemoryResultsSnapshot) m).getObjectsCounts()[i]);
        return lines;
    }

    // What the process sends is worked on by another thread: once nothing new comes, and something came, it is all there.
    static void printMemory(ProfilerClient client) throws Exception {
        Map<String, String> before, lines = memory(client);
        do {
            Thread.sleep(200);
            before = lines;
            lines = memory(client);
        } while (!lines.equals(before) || lines.getOrDefault("Profiled$Item", "0").startsWith("0"));
        lines.forEach((name, counts) -> {
            if (name.startsWith("Profiled") || name.contains("IllegalState"))
                System.out.println(name + " " + counts);
        });
    }

    // Likewise.
    static CPUResultsSnapshot calls(ProfilerClient client) throws Exception {
        for (;;) {
            client.forceObtainedResultsDump(true);
            try {
                return client.getCPUProfilingResultsSnapshot();
            } catch (CPUResultsSnapshot.NoDataAvailableException e) {
                Thread.sleep(50);
            }
        }
    }

    static void printCalls(ProfilerClient client) throws Exception {
        CPUResultsSnapshot c = calls(client);
        System.out.println(String.join(" ", c.getThreadNames()));
        FlatProfileContainer flat = c.getFlatProfile(-1, CPUResultsSnapshot.METHOD_LEVEL_VIEW);
        Set<String> lines = new TreeSet<>();
        for (int i = 0; i < flat.getNRows(); i++)
            lines.add(flat.getMethodNameAtRow(i) + " " + flat.getNInvocationsAtRow(i));
        lines.removeIf(line -> !line.matches("Profiled\\..*|java\\.util\\.(ArrayList|Arrays|Collections|ComparableTimSort)\\..*")); // others depend on times
        lines.forEach(System.out::println);
    }

    public static void main(String[] args) {
        try {
            profile(args);
        } catch (Throwable t) { // a thread of the profiler's would wait for ever
            System.out.println("failed: " + t);
            t.printStackTrace(System.out);
            Thread.getAllStackTraces().forEach((thread, stack) -> {
                System.out.println(thread);
                for (StackTraceElement frame : stack)
                    System.out.println("    " + frame);
            });
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly); // else the test waits for what they might print
            Runtime.getRuntime().halt(1);
        }
    }

    static void profile(String[] args) throws Exception {
        boolean calls = args[0].equals("full");
        ProfilerEngineSettings settings = settings(args[1], Integer.parseInt(args[2]));
        TargetAppRunner runner = new TargetAppRunner(settings, new Profiler(), new NoPoints());
        ProfilerClient client = runner.getProfilerClient();
        System.out.println("calibrated " + (runner.readSavedCalibrationData() || runner.calibrateInstrumentationCode()));
        CPUCallGraphBuilder cpu = new CPUCallGraphBuilder();
        MemoryCallGraphBuilder memory = new MemoryCallGraphBuilder();
        FlatProfileBuilder flat = new FlatProfileBuilder();
        ProfilingResultsDispatcher dispatcher = ProfilingResultsDispatcher.getDefault();
        cpu.startup(client);
        memory.startup(client);
        cpu.addListener(flat);
        dispatcher.addListener((CPUProfilingResultListener) cpu);
        dispatcher.addListener((MemoryProfilingResultsListener) memory);
        EventBufferResultsProvider.getDefault().addDispatcher(dispatcher);
        EventBufferResultsProvider.getDefault().startup(client);
        dispatcher.startup(client);
        client.registerCPUCCTProvider(cpu);
        client.registerMemoryCCTProvider(memory);
        client.registerFlatProfileProvider(flat);
        System.out.println("started " + runner.startTargetVM());
        System.out.println("session " + runner.initiateSession(1, false));
        flat.setContext(client, null, null);
        if (calls)
            client.initiateRecursiveCPUProfInstrumentation(settings.getInstrumentationRootMethods());
        else
            client.initiateMemoryProfInstrumentation(args[0].equals("live") ? CommonConstants.INSTR_OBJECT_LIVENESS : CommonConstants.INSTR_OBJECT_ALLOCATIONS);
        System.out.println("runs " + runner.connectToStartedVMAndStartTA());
        long end = System.nanoTime() + 150_000_000_000L;
        while (!Files.exists(Path.of("done"))) {
            if (System.nanoTime() > end)
                throw new IllegalStateException("the program does not end"); // seen on both VMs: the library's own thread was gone
            Thread.sleep(20);
        }
        Files.delete(Path.of("done"));
        if (calls)
            printCalls(client);
        else
            printMemory(client);
        client.removeAllInstrumentation(true);
        runner.terminateTargetJVM();
        System.out.println("exit " + runner.getRunningAppProcess().waitFor());
        System.exit(0);
    }
}
