#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the launcher and the VM say to class files, jars and main classes that are missing, damaged or of another kind.
set -eu
mkdir -p src good short junk version preview other gone
cat >src/Say.java <<'TEXT'
public class Say {
    public static void main(String[] args) {
        System.out.println("Say " + args.length);
    }
}
class Heir extends Say {}
class NoMain {}
class NotStatic { public void main(String[] args) {} }
class GivesInt { public static int main(String[] args) { return 1; } }
class Hidden { private static void main(String[] args) {} }
class Initializer {
    static { fail(); }
    static void fail() { throw new RuntimeException("in the initializer"); }
    public static void main(String[] args) {}
}
interface Face { static void main(String[] args) { System.out.println("an interface"); } }
class NeedsGone extends Gone { public static void main(String[] args) {} }
class UsesGone { public static void main(String[] args) { System.out.println("start"); new Gone(); } }
class Gone {}
class Natives {
    static native void f();
    public static void main(String[] args) {
        for (String name : new String[] {"nowhere", "/nowhere/libx.so"})
            try {
                if (name.startsWith("/"))
                    System.load(name);
                else
                    System.loadLibrary(name);
            } catch (UnsatisfiedLinkError e) {
                System.out.println(e);
            }
        f();
    }
}
TEXT
javac -g -d good src/Say.java
head -c 100 good/Say.class >short/Say.class
echo junk >junk/Say.class
: >junk/NoMain.class
cp good/Say.class version
printf '\x00\x00\x00\x46' | LD_PRELOAD='' dd of=version/Say.class bs=1 seek=4 conv=notrunc status=none
cp good/Say.class preview
printf '\xff\xff\x00\x3d' | LD_PRELOAD='' dd of=preview/Say.class bs=1 seek=4 conv=notrunc status=none
cp good/NoMain.class other/Say.class
cp good/NeedsGone.class good/UsesGone.class gone
echo 'Main-Class: Say' >main.mf
echo 'Main-Class: Gone' >gone.mf
printf 'Main-Class: Say\nLauncher-Agent-Class: Nowhere\n' >agent.mf
printf 'Main-Class: Say\nClass-Path: nowhere.jar\nAdd-Opens: java.base/java.lang\n' >more.mf
jar cfm say.jar main.mf -C good Say.class
jar cf nomain.jar -C good Say.class
jar cfm gone.jar gone.mf -C good Say.class
jar cfm agent.jar agent.mf -C good Say.class
jar cfm more.jar more.mf -C good Say.class
echo garbage >bad.jar
head -c 300 say.jar >cut.jar
: >empty.jar
t() {
    echo "\$ $*"
    code=0
    java "$@" >out 2>err </dev/null || code=$?
    sed 's/^/  /' out
    sed 's/^/! /' err
    if ((code != 0)); then
        echo "exit code $code"
    fi
}
for name in Nowhere good/Say say Heir NoMain NotStatic GivesInt Hidden Initializer Face Natives; do
    t -cp good $name
done
for folder in nowhere short junk version preview other say.jar bad.jar cut.jar empty.jar bad.jar:good cut.jar:good empty.jar:good; do
    t -cp $folder Say
done
t -cp junk NoMain
t --enable-preview -cp preview Say
t -cp gone NeedsGone
t -cp gone UsesGone
for jar in say nomain gone agent more bad cut empty nowhere; do
    t -jar $jar.jar one
done
t -jar
t -cp
t -cp ''
# sources
echo 'class A { public static void main(String[] args) { int x = "s"; } }' >A.java
echo 'package p; class B { public static void main(String[] args) { System.out.println("B"); throw new RuntimeException("x"); } }' >B.java
echo 'class C {}' >C.java
: >D.java
printf '#!/usr/bin/java --source 17\nclass E { public static void main(String[] args) { System.exit(4); } }' >E
for source in A.java B.java C.java D.java; do
    t $source
done
t --source 17 E
t E
t Nowhere.java
