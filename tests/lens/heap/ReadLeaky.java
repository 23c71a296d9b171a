// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.List;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;

/** Reads a heap dump of Leaky with VisualVM's library: follows every field of every object. */
public class ReadLeaky {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        long wrong = 0, payload = 0, numbers = 0;
        for (Object o : heap.getAllClasses()) {
            JavaClass c = (JavaClass) o;
            for (Object i : c.getInstances()) {
                Instance instance = (Instance) i;
                wrong += instance.getJavaClass() == c ? 0 : 1;
                for (Object f : (List<?>) instance.getFieldValues())
                    if (f instanceof ObjectFieldValue)
                        ((ObjectFieldValue) f).getInstance();
            }
        }
        JavaClass entry = heap.getJavaClassByName("Leaky$Entry");
        for (Object i : entry.getInstances()) {
            payload += ((PrimitiveArrayInstance) ((Instance) i).getValueOfField("payload")).getLength();
            numbers += (Integer) ((Instance) i).getValueOfField("number");
        }
        Instance leaked = (Instance) heap.getJavaClassByName("Leaky").getValueOfStaticField("leaked");
        System.out.println("wrong " + wrong);
        System.out.println("roots " + (heap.getGCRoots().isEmpty() ? "none" : "some"));
        System.out.println("entries " + entry.getInstancesCount() + " of " + payload + " bytes, numbers " + numbers);
        System.out.println("leaked " + leaked.getJavaClass().getName() + " " + leaked.getValueOfField("size"));
    }
}
