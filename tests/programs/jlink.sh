#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Images made by jlink, with the VM under test put in: of java.base alone, with a program of our own, its launcher and a
# service, compressed and stripped, and with the compiler.
# @timeout 300
set -eu
mkdir -p src/app/app src/words/words
cat >src/words/module-info.java <<'TEXT'
module words {
    exports words;
    provides java.util.function.Supplier with words.Words;
}
TEXT
cat >src/words/words/Words.java <<'TEXT'
package words;

public class Words implements java.util.function.Supplier<String> {
    public String get() {
        return "words of a service";
    }
}
TEXT
cat >src/app/module-info.java <<'TEXT'
module app {
    requires words;
    requires java.logging;
    uses java.util.function.Supplier;
}
TEXT
cat >src/app/app/Main.java <<'TEXT'
package app;

import java.util.*;
import java.util.function.Supplier;

public class Main {
    public static void main(String[] args) throws Exception {
        System.out.println(String.join(",", args) + " " + ServiceLoader.load(Supplier.class).findFirst().get().get());
        ModuleLayer.boot().modules().stream().map(Module::getName).sorted().forEach(System.out::println);
        System.out.println(Main.class.getResource("/app/Main.class").getProtocol() + " " + Object.class.getResource("Object.class"));
        System.out.println(ModuleLayer.boot().findModule("java.sql").isPresent());
        Runnable r = () -> System.out.println("lambda " + List.of(3, 1, 2).stream().sorted().toList());
        r.run();
        java.util.logging.Logger.getLogger("app").fine("silent");
        System.out.println(new java.io.File(System.getProperty("java.home")).getName());
        try {
            Object o = null;
            o.toString();
        } catch (NullPointerException e) {
            System.out.println(e.getMessage() + " " + e.getStackTrace()[0]);
        }
        Class.forName("java.sql.Driver");
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d mods --module-source-path src -m app,words
# An image has the VM that is packed in java.base's jmod; this one gets the one under test.
make() {
    jlink --module-path mods "$@"
    rm -f "$image/lib/server/libjvm.so" "$image"/lib/server/classes*.jsa
    cp "$JAVA_HOME/lib/server/libjvm.so" "$image/lib/server/"
}
image=small
make --output small --add-modules java.base
small/bin/java --list-modules
small/bin/java -version 2>&1 | grep -c .
small/bin/java --module-path mods -m app/app.Main x 2>&1 || echo "exit $?"
image=whole
make --output whole --add-modules app,words --launcher run=app/app.Main --compress=2 --strip-debug --no-header-files
whole/bin/run one two 2>&1 || echo "exit $?"
whole/bin/java -Xshare:auto -Xmx20m -m app/app.Main 2>&1 | head -1
find whole/lib/server -type f | sort
image=tools
make --output tools --add-modules jdk.compiler,java.management
cat >Hello.java <<'TEXT'
public class Hello {
    public static void main(String[] args) {
        System.out.println("compiled here: " + java.lang.management.ManagementFactory.getRuntimeMXBean().getSpecVersion());
    }
}
TEXT
tools/bin/java Hello.java
