#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two modules from a module path: a service, an exported package, one that is not exported, --add-exports and --add-opens.
set -eu
mkdir -p src/one/one/api src/one/one/hidden src/two/two
cat >src/one/module-info.java <<'TEXT'
module one { exports one.api; uses one.api.Service; }
TEXT
cat >src/one/one/api/Service.java <<'TEXT'
package one.api;
public interface Service {
    String name();
    static String all() {
        return java.util.ServiceLoader.load(Service.class).stream().map(p -> p.get().name()).sorted().toList().toString();
    }
}
TEXT
cat >src/one/one/hidden/Hidden.java <<'TEXT'
package one.hidden;
public class Hidden {
    private int value = 7;
    public int value() { return value; }
}
TEXT
cat >src/two/module-info.java <<'TEXT'
module two { requires one; provides one.api.Service with two.Impl; }
TEXT
cat >src/two/two/Impl.java <<'TEXT'
package two;
public class Impl implements one.api.Service {
    public String name() { return getClass().getModule() + " " + new java.util.TreeSet<>(getClass().getModule().getDescriptor().requires()); }
}
TEXT
cat >src/two/two/Main.java <<'TEXT'
package two;
public class Main {
    public static void main(String[] args) {
        System.out.println(one.api.Service.all());
        try {
            Class<?> hidden = Class.forName("one.hidden.Hidden");
            Object o = hidden.getConstructor().newInstance();
            System.out.println(hidden.getMethod("value").invoke(o));
            var field = hidden.getDeclaredField("value");
            field.setAccessible(true);
            System.out.println(field.getInt(o));
        } catch (Throwable e) {
            System.out.println(e);
        }
    }
}
TEXT
mapfile -t sources < <(find src -name "*.java" | sort)
javac -d mods --module-source-path src "${sources[@]}"
java -p mods -m two/two.Main
java -p mods --add-exports one/one.hidden=two -m two/two.Main
java -p mods --add-opens one/one.hidden=two -m two/two.Main
java -p mods --limit-modules one,two --describe-module two | sort
java -p mods --limit-modules one,two --list-modules | grep -v '^java.base' | sort
java -p mods -m three/three.Main 2>&1 || echo "exit code $?"
