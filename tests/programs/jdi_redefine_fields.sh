#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A debugger written with JDI and -XX:+AllowEnhancedClassRedefinition: two classes at once get fields, methods and a superclass while a thread stands in
# one of them; the debugger reads, writes and calls what is new. What is refused is told, and nothing has changed.
# @only pellucid
# @timeout 120
set -eu
mkdir new old
cat >Run.java <<'TEXT'
public class Run {
    public static void main(String[] args) {
        Order order = new Order();
        int sum = 0;
        for (int i = 0; i < 4; i++)
            sum += order.price() + Tax.of(order);
        System.out.println("sum " + sum);
    }
}
TEXT
cat >Order.java <<'TEXT'
public class Order {
    int items = 2;

    int price() {
        return items * 10;
    }
}
class Tax {
    static int of(Order o) {
        return 1;
    }
}
TEXT
javac -g Order.java Run.java
cp Order.class old
cat >new/Order.java <<'TEXT'
class Base {
    long base = 3;
    int fromBase() {
        return 5;
    }
}
public class Order extends Base {
    String label;
    int items = 2;

    int discount(int percent) {
        return items * percent + fromBase();
    }

    int price() {
        return items * 100 + discount(1);
    }
}
class Tax {
    static int of(Order o) {
        return o.discount(2) + o.fromBase();
    }
}
TEXT
javac -g -d new new/Order.java
mv new/Base.class .
cat >Debugger.java <<'TEXT'
import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.nio.file.*;
import java.util.*;

public class Debugger {
    static VirtualMachine vm;

    static ReferenceType type(String name) {
        return vm.classesByName(name).get(0);
    }

    static void redefine(String folder, String... names) throws Exception {
        Map<ReferenceType, byte[]> classes = new LinkedHashMap<>();
        for (String name : names)
            classes.put(type(name), Files.readAllBytes(Path.of(folder, name + ".class")));
        try {
            vm.redefineClasses(classes);
            System.out.println("redefined " + String.join(", ", names));
        } catch (UnsupportedOperationException | LinkageError e) {
            System.out.println("refused: " + e.getClass().getSimpleName());
        }
    }

    static void show(ThreadReference thread) throws Exception {
        StackFrame frame = thread.frame(0);
        ObjectReference order = frame.thisObject();
        ClassType type = (ClassType) type("Order");
        List<String> fields = new ArrayList<>();
        for (Field f : type.allFields())
            fields.add(f.declaringType().name() + "." + f.name() + "=" + order.getValue(f));
        Collections.sort(fields);
        System.out.println(frame.location().method().name() + " obsolete " + frame.location().method().isObsolete() + " " + fields);
        ClassObjectReference mirror = type.classObject(); // JDI keeps what it was told of the superclass before
        ReferenceType of = mirror.referenceType();
        ClassObjectReference above = (ClassObjectReference) mirror.invokeMethod(thread, of.methodsByName("getSuperclass").get(0), List.of(), 0);
        System.out.println("superclass " + above.reflectedType().name());
    }

    static void use(ThreadReference thread) throws Exception {
        ObjectReference order = thread.frame(0).thisObject();
        ClassType type = (ClassType) type("Order");
        order.setValue(type.fieldByName("label"), vm.mirrorOf("gift"));
        Value got = order.invokeMethod(thread, type.methodsByName("discount").get(0), List.of(vm.mirrorOf(7)), 0);
        System.out.println("discount " + got + " " + order.getValue(type.fieldByName("label")));
    }

    public static void main(String[] args) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> with = connector.defaultArguments();
        with.get("main").setValue("Run");
        with.get("options").setValue("-cp . -XX:+AllowEnhancedClassRedefinition");
        vm = connector.launch(with);
        ClassPrepareRequest prepare = vm.eventRequestManager().createClassPrepareRequest();
        prepare.addClassFilter("Order");
        prepare.enable();
        int hits = 0;
        for (boolean ended = false; !ended;) {
            EventSet set = vm.eventQueue().remove();
            for (Event e : set) {
                if (e instanceof ClassPrepareEvent)
                    vm.eventRequestManager().createBreakpointRequest(type("Order").methodsByName("price").get(0).location()).enable();
                if (e instanceof BreakpointEvent && ++hits == 2) { // Tax is loaded
                    ThreadReference thread = ((BreakpointEvent) e).thread();
                    redefine("new", "Order", "Tax");
                    show(thread);
                    use(thread);
                    redefine("old", "Order"); // a superclass would go
                    show(thread);
                    vm.eventRequestManager().deleteAllBreakpoints();
                }
                ended |= e instanceof VMDeathEvent || e instanceof VMDisconnectEvent;
            }
            if (!ended)
                set.resume();
        }
        System.out.print(new String(vm.process().getInputStream().readAllBytes()));
    }
}
TEXT
javac --add-modules jdk.jdi Debugger.java
java --add-modules jdk.jdi -cp . Debugger
