// SPDX-License-Identifier: Apache-2.0
// JNDI: no provider, one of our own, names, references; the provider of the RMI registry.
import java.rmi.registry.*;
import java.util.*;
import java.util.concurrent.Callable;
import javax.naming.*;
import javax.naming.directory.*;
import javax.naming.ldap.*;
import javax.naming.spi.*;

public class Naming {
    static void show(String what, Callable<Object> c) {
        try {
            System.out.println(what + ": " + c.call());
        } catch (Throwable e) {
            System.out.println(what + ": " + e + (e.getCause() != null && e.getCause() != e ? " / " + e.getCause().getClass().getName() : ""));
        }
    }

    // Keeps what is bound in a map.
    public static class Factory implements InitialContextFactory {
        static final Map<String, Object> bound = new TreeMap<>();

        public Context getInitialContext(Hashtable<?, ?> env) {
            return (Context) java.lang.reflect.Proxy.newProxyInstance(Factory.class.getClassLoader(), new Class<?>[] {Context.class}, (p, m, a) -> {
                String name = a != null && a.length > 0 ? a[0].toString() : null;
                switch (m.getName()) {
                case "bind" -> {
                    if (bound.containsKey(name)) {
                        throw new NameAlreadyBoundException(name);
                    }
                    bound.put(name, a[1]);
                }
                case "rebind" -> bound.put(name, a[1]);
                case "unbind" -> bound.remove(name);
                case "lookup" -> {
                    Object o = bound.get(name);
                    if (o == null) {
                        NamingException e = new NameNotFoundException(name + " is not bound");
                        e.setRemainingName(new CompositeName(name));
                        throw e;
                    }
                    return NamingManager.getObjectInstance(o, new CompositeName(name), null, env);
                }
                case "getEnvironment" -> {
                    return env;
                }
                case "toString" -> {
                    return "context";
                }
                }
                return null;
            });
        }
    }
    public static class Objects implements ObjectFactory {
        public Object getObjectInstance(Object o, Name name, Context c, Hashtable<?, ?> env) {
            return o instanceof Reference r && r.getClassName().equals("made") ? "made of " + r.get("part").getContent() + " for " + name : null;
        }
    }

    public static void main(String[] args) throws Exception {
        show("no provider", () -> new InitialContext().lookup("x"));
        show("no class", () -> {
            Hashtable<String, String> env = new Hashtable<>(Map.of(Context.INITIAL_CONTEXT_FACTORY, "no.such.Factory"));
            return new InitialContext(env).lookup("x");
        });
        Hashtable<String, String> env = new Hashtable<>(Map.of(Context.INITIAL_CONTEXT_FACTORY, Factory.class.getName(), "own", "entry"));
        Context c = new InitialContext(env);
        c.bind("a/b", 42);
        show("lookup", () -> c.lookup("a/b"));
        show("do", () -> InitialContext.doLookup("a/b"));
        show("bound", () -> {
            c.bind("a/b", 1);
            return "";
        });
        show("absent", () -> c.lookup("no/such"));
        show("environment", () -> c.getEnvironment().get("own"));
        c.bind("ref", new Reference("made", new StringRefAddr("part", "pieces"), Objects.class.getName(), null));
        show("reference", () -> c.lookup("ref"));
        show("composite", () -> {
            CompositeName n = new CompositeName("x/y\\/z/'q/r'");
            return n.size() + " " + n.get(1) + " " + n.getPrefix(2) + " " + n.add(1, "new") + " " + n.compareTo(new CompositeName("x")) + " " + n.getAll().nextElement();
        });
        show("compound", () -> {
            Properties p = new Properties();
            p.put("jndi.syntax.direction", "right_to_left");
            p.put("jndi.syntax.separator", ".");
            return new CompoundName("www.example.org", p).get(0);
        });
        show("ldap", () -> {
            LdapName n = new LdapName("CN=Steve\\, Kille,O=Isode Limited+L=\\20x,C=GB");
            return n.size() + " " + n.getRdn(2).getValue() + " " + n.getPrefix(1) + " " + Rdn.escapeValue("a,b+c ") + " " + n.equals(new LdapName("cn=steve\\, kille, o=isode limited+l=\\20x, c=gb"));
        });
        show("bad ldap", () -> new LdapName("nothing"));
        show("attributes", () -> {
            BasicAttributes a = new BasicAttributes(true);
            a.put("Mail", "x@y");
            a.put(new BasicAttribute("n", 1));
            return a.get("MAIL").get() + " " + a.size() + " " + a.get("n");
        });
        show("dns", () -> new InitialDirContext(new Hashtable<>(Map.of(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory",
            Context.PROVIDER_URL, "dns://127.0.0.1:1", "com.sun.jndi.dns.timeout.initial", "1", "com.sun.jndi.dns.timeout.retries", "1"))).getAttributes("x"));
        show("ldap refused", () -> new InitialDirContext(new Hashtable<>(Map.of(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory",
            Context.PROVIDER_URL, "ldap://127.0.0.1:1"))).getAttributes("x"));
        Registry registry = LocateRegistry.createRegistry(0);
        String port = registry.toString().replaceAll("(?s).*endpoint:\\[[^]]*?:(\\d+)\\].*", "$1");
        Context rmi = new InitialContext(new Hashtable<>(Map.of(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.rmi.registry.RegistryContextFactory",
            Context.PROVIDER_URL, "rmi://127.0.0.1:" + port)));
        show("rmi absent", () -> rmi.lookup("x"));
        rmi.bind("reg", registry);
        show("rmi", () -> ((Registry) rmi.lookup("reg")).list()[0]);
        show("rmi list", () -> rmi.list("").next());
        java.rmi.server.UnicastRemoteObject.unexportObject(registry, true);
    }
}
