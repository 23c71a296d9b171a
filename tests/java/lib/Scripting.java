// SPDX-License-Identifier: Apache-2.0
// javax.script: the JDK has no engine; one of our own by the service loader's and the manager's ways.
import java.io.*;
import java.util.*;
import javax.script.*;

public class Scripting {
    // Its language: "NAME=TEXT" binds, "NAME" reads, "!" fails.
    static class Engine extends AbstractScriptEngine implements Invocable {
        final ScriptEngineFactory factory;

        Engine(ScriptEngineFactory factory) {
            this.factory = factory;
        }
        public Object eval(String script, ScriptContext c) throws ScriptException {
            if (script.equals("!")) {
                throw new ScriptException("failed", "file", 3, 7);
            }
            int at = script.indexOf('=');
            if (at < 0) {
                return c.getAttribute(script);
            }
            c.setAttribute(script.substring(0, at), script.substring(at + 1), ScriptContext.ENGINE_SCOPE);
            return null;
        }
        public Object eval(Reader r, ScriptContext c) throws ScriptException {
            return eval(new BufferedReader(r).lines().reduce("", String::concat), c);
        }
        public Bindings createBindings() {
            return new SimpleBindings();
        }
        public ScriptEngineFactory getFactory() {
            return factory;
        }
        public Object invokeMethod(Object o, String name, Object... args) {
            return name + args.length;
        }
        public Object invokeFunction(String name, Object... args) {
            return name + Arrays.toString(args);
        }
        public <T> T getInterface(Class<T> c) {
            return c.cast(java.lang.reflect.Proxy.newProxyInstance(c.getClassLoader(), new Class<?>[] {c}, (p, m, a) -> m.getName().length()));
        }
        public <T> T getInterface(Object o, Class<T> c) {
            return getInterface(c);
        }
    }
    static ScriptEngineFactory factory() {
        Map<String, Object> answers = Map.of("getEngineName", "Own", "getNames", List.of("own"), "getMimeTypes", List.of("text/own"), "getExtensions", List.of("own"));
        return (ScriptEngineFactory) java.lang.reflect.Proxy.newProxyInstance(Scripting.class.getClassLoader(), new Class<?>[] {ScriptEngineFactory.class},
            (p, m, a) -> m.getName().equals("getScriptEngine") ? new Engine((ScriptEngineFactory) p) : answers.get(m.getName()));
    }

    public static void main(String[] args) throws Exception {
        ScriptEngineManager m = new ScriptEngineManager();
        System.out.println(m.getEngineFactories() + " " + m.getEngineByName("javascript") + " " + m.getEngineByExtension("js") + " " + m.getEngineByMimeType("text/javascript"));
        m.registerEngineName("own", factory());
        m.registerEngineExtension("own", factory());
        m.put("shared", "for all");
        ScriptEngine e = m.getEngineByName("own");
        System.out.println(e.getFactory().getEngineName() + " " + e.eval("shared") + " " + e.eval("x=5") + " " + e.eval(new StringReader("x")) + " " + e.get("x"));
        Bindings b = new SimpleBindings();
        b.put("x", "other");
        System.out.println(e.eval("x", b) + " " + m.getEngineByExtension("own").eval("x") + " " + m.getBindings().keySet());
        System.out.println(((Invocable) e).invokeFunction("f", 1, "two") + " " + ((Invocable) e).getInterface(Comparator.class).compare(1, 2));
        try {
            e.eval("!");
        } catch (ScriptException x) {
            System.out.println(x.getMessage() + " " + x.getFileName() + x.getLineNumber() + x.getColumnNumber());
        }
        try {
            b.put("", 1);
        } catch (IllegalArgumentException x) {
            System.out.println(x.getMessage());
        }
        try {
            m.getEngineByName(null);
        } catch (NullPointerException x) {
            System.out.println("null");
        }
    }
}
