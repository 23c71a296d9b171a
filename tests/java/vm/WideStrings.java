// SPDX-License-Identifier: Apache-2.0
// With -XX:-CompactStrings every String is UTF-16, whoever made it: the class library, native code, the VM.
// @flags -XX:-CompactStrings --add-opens java.base/java.lang=ALL-UNNAMED
// @quick
import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.Map;

public class WideStrings {
    static final String CONSTANT = "constant";
    static Field value, coder;

    static void show(String what, String s) throws Exception {
        int bytes = ((byte[]) value.get(s)).length;
        System.out.println(what + ": coder " + coder.get(s) + " " + (bytes == 2 * s.length()) + " "
            + (s.hashCode() == new String(s.toCharArray()).hashCode()) + " " + (s.intern() == new String(s.toCharArray()).intern()));
    }

    static String message(Object o) {
        try {
            return o.toString();
        } catch (NullPointerException e) {
            return e.getMessage();
        }
    }

    public static void main(String[] args) throws Exception {
        value = String.class.getDeclaredField("value");
        coder = String.class.getDeclaredField("coder");
        value.setAccessible(true);
        coder.setAccessible(true);
        Field compact = String.class.getDeclaredField("COMPACT_STRINGS");
        compact.setAccessible(true);
        System.out.println(compact.get(null));
        show("constant", CONSTANT);
        show("beyond Latin-1", "\u0416uk");
        show("Latin-1", "\u00e9t\u00e9");
        show("empty", "");
        show("concatenated", CONSTANT + args.length);
        show("built", new StringBuilder("a").append(1).toString());
        show("of bytes", new String(new byte[] {65, 66}));
        show("property", System.getProperty("java.home"));
        show("environment", System.getenv().keySet().iterator().next());
        show("path", new File(".").getCanonicalPath());
        show("class", WideStrings.class.getName());
        show("array class", int[][].class.getName());
        show("method", WideStrings.class.getDeclaredMethods()[0].getName());
        show("field", compact.getName());
        show("thread", Thread.currentThread().getName());
        show("descriptor", MethodType.methodType(int.class, String.class).toMethodDescriptorString());
        show("message", message(null));
        show("trace", new Throwable().getStackTrace()[0].getMethodName());
        show("version", System.getProperty("java.vm.version"));
        System.out.println(Map.of("constant", 1).get(new String("con") + "stant") + " " + "constant".equals(CONSTANT.substring(0, 8)));
        switch (args.length == 0 ? CONSTANT.concat("!") : "") {
            case "constant!" -> System.out.println("chosen");
            default -> System.out.println("not chosen");
        }
        System.out.println(CONSTANT.indexOf("sta") + " " + CONSTANT.compareTo("constable") + " " + CONSTANT.toUpperCase() + " " + CONSTANT.chars().sum());
        System.out.println(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).getVMOption("CompactStrings").getValue());
    }
}
