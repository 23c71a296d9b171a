// SPDX-License-Identifier: Apache-2.0
// StackWalker with each option, limits, caller class; frames of reflection and lambdas.
// @quick
// @modes moving
import java.util.*;
import java.util.stream.*;

public class StackWalk {
    static String frames(StackWalker w) {
        return w.walk(s -> s.filter(f -> f.getClassName().startsWith("StackWalk")).map(f -> f.getMethodName().replaceAll("\\d+$", "N") + ":" + f.getLineNumber())
            .collect(Collectors.joining(" ")));
    }
    static Class<?> caller() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    }
    static class Other {
        static Class<?> c() {
            return caller();
        }
    }
    static int depth(int n) {
        if (n > 0) {
            return depth(n - 1);
        }
        return (int) (long) StackWalker.getInstance().walk(s -> s.filter(f -> f.getMethodName().equals("depth")).count());
    }

    public static void main(String[] args) throws Exception {
        StackWalker plain = StackWalker.getInstance();
        StackWalker all = StackWalker.getInstance(EnumSet.allOf(StackWalker.Option.class));
        System.out.println(frames(plain));
        Runnable r = () -> System.out.println(frames(plain));
        r.run();
        System.out.println(StackWalk.class.getDeclaredMethod("frames", StackWalker.class).invoke(null, plain));
        List.of(1).forEach(x -> System.out.println(frames(plain)));
        System.out.println(caller() + " " + Other.c());
        System.out.println(depth(0) + " " + depth(10) + " " + depth(1000));
        List<String> top = plain.walk(s -> s.limit(1).map(StackWalker.StackFrame::getMethodName).collect(Collectors.toList()));
        System.out.println(top);
        Integer five = plain.walk(s -> 5);
        System.out.println(five);
        all.forEach(f -> {
            if (f.getClassName().startsWith("StackWalk")) {
                System.out.println(f.getDeclaringClass() + " " + f.getMethodName() + " " + f.getMethodType() + f.getDescriptor() + " " + f.getFileName()
                    + f.isNativeMethod() + " " + f.toStackTraceElement());
            }
        });
        try {
            plain.walk(s -> s.map(f -> f.getDeclaringClass()).collect(Collectors.toList()));
        } catch (UnsupportedOperationException e) {
            System.out.println(e);
        }
        try {
            plain.getCallerClass();
        } catch (UnsupportedOperationException e) {
            System.out.println(e);
        }
        Stream<StackWalker.StackFrame> leaked = plain.walk(s -> s);
        try {
            leaked.count();
        } catch (IllegalStateException e) {
            System.out.println(e);
        }
        Thread t = new Thread(() -> System.out.println(frames(plain)));
        t.start();
        t.join();
    }
}
