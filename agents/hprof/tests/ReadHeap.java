// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.List;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.ThreadObjectGCRoot;

/** Reads a binary dump of Work with VisualVM's library: follows every field of every object. */
public class ReadHeap {
    /** Whether a thread of the dump has this method on its stack. */
    static boolean isCalled(Heap heap, String method) {
        for (Object root : heap.getGCRoots()) {
            StackTraceElement[] stack = root instanceof ThreadObjectGCRoot ? ((ThreadObjectGCRoot) root).getStackTrace() : null;
            for (int i = 0; stack != null && i < stack.length; i++)
                if (stack[i].getMethodName().equals(method))
                    return true;
        }
        return false;
    }

    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        long instances = 0, wrong = 0;
        for (Object o : heap.getAllClasses()) {
            JavaClass c = (JavaClass) o;
            instances += c.getInstancesCount();
            for (Object i : c.getInstances()) {
                Instance instance = (Instance) i;
                wrong += instance.getJavaClass() == c ? 0 : 1;
                for (Object f : (List<?>) instance.getFieldValues())
                    if (f instanceof ObjectFieldValue)
                        ((ObjectFieldValue) f).getInstance();
            }
        }
        JavaClass work = heap.getJavaClassByName("Work");
        Instance keep = (Instance) work.getValueOfStaticField("keep");
        System.out.println("instances " + instances);
        System.out.println("wrong " + wrong);
        System.out.println("roots " + (heap.getGCRoots().isEmpty() ? "none" : "some"));
        System.out.println("stacks " + isCalled(heap, "sleepForEver"));
        System.out.println("counter " + work.getValueOfStaticField("counter"));
        System.out.println("keep " + keep.getJavaClass().getName() + " " + keep.getValueOfField("size"));
    }
}
