// SPDX-License-Identifier: Apache-2.0
// Byte Buddy's advice goes into loaded classes by retransformation, changes, and is taken back.
import java.lang.instrument.Instrumentation;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;

public class Advised {
    static Instrumentation instrumentation;

    public static void premain(String options, Instrumentation i) {
        instrumentation = i;
    }

    public static class Target {
        int calls;

        int add(int a, int b) {
            calls++;
            return a + b;
        }

        static String fail(String s) {
            throw new IllegalStateException(s);
        }
    }

    public static class Timing {
        @Advice.OnMethodEnter
        static long enter(@Advice.Origin String method, @Advice.AllArguments Object[] all) {
            System.out.println("enter " + method + " " + java.util.Arrays.toString(all));
            return all.length;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Advice.Enter long count, @Advice.Thrown Throwable thrown) {
            System.out.println("exit " + count + " " + thrown);
        }
    }

    public static class Doubling {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int result) {
            result = result * 2;
        }
    }

    static void calls(Target t) {
        System.out.println(t.add(2, 3) + " " + t.calls);
        try {
            Target.fail("text");
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + " " + e.getStackTrace()[0].getMethodName());
        }
    }

    static AgentBuilder builder() {
        return new AgentBuilder.Default().disableClassFormatChanges().with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
    }

    public static void main(String[] args) {
        Target t = new Target();
        calls(t);
        ResettableClassFileTransformer timing = builder().type(ElementMatchers.is(Target.class))
            .transform((b, type, loader, module, domain) -> b.visit(Advice.to(Timing.class).on(ElementMatchers.isMethod())))
            .installOn(instrumentation);
        calls(t);
        ResettableClassFileTransformer doubling = builder().type(ElementMatchers.is(Target.class))
            .transform((b, type, loader, module, domain) -> b.visit(Advice.to(Doubling.class).on(ElementMatchers.named("add"))))
            .installOn(instrumentation);
        calls(t);
        System.out.println("reset " + timing.reset(instrumentation, AgentBuilder.RedefinitionStrategy.RETRANSFORMATION));
        calls(t);
        System.out.println("reset " + doubling.reset(instrumentation, AgentBuilder.RedefinitionStrategy.RETRANSFORMATION));
        calls(t);
    }
}
