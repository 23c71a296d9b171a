#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A jar whose manifest names a main class and a class path; a resource from it; jar's own listing.
set -eu
mkdir -p src out lib
cat >src/Lib.java <<'TEXT'
package lib;
public class Lib {
    public static String say() { return "from " + Lib.class.getPackageName(); }
}
TEXT
cat >src/Main.java <<'TEXT'
package app;
import java.util.jar.*;
public class Main {
    public static void main(String[] args) throws Exception {
        System.out.println(lib.Lib.say() + " " + args.length);
        try (var in = Main.class.getResourceAsStream("/data.txt")) {
            System.out.print(new String(in.readAllBytes()));
        }
        System.out.println(Main.class.getPackage().getImplementationTitle());
    }
}
TEXT
javac -d out/lib src/Lib.java
javac -cp out/lib -d out/app src/Main.java
echo "the data" >out/app/data.txt
printf 'Class-Path: lib/lib.jar\nImplementation-Title: Test\n' >manifest.txt
jar --create --file lib/lib.jar -C out/lib .
jar --create --file app.jar --main-class app.Main --manifest manifest.txt -C out/app .
jar --list --file app.jar
java -jar app.jar a b c
