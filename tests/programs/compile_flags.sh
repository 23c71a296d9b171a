#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The flags of the compiler: what is compiled, what is said of it, what the flags come to. Here it is behind a flag of its own, which HotSpot
# is told to ignore; what it refuses for the time being, and the numbers, are left out.
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static int once(int n) { return n + 1; }
    static synchronized int locked(int n) { return n - 1; }
    static int guarded(int n) {
        try {
            return 6 / n;
        } catch (ArithmeticException e) {
            return 0;
        }
    }
    int member(int n) { return n * 2; }
    int member(long n) { return 5; }
    public static void main(String[] args) {
        System.out.println(once(1) + locked(3) + guarded(2) + new Main().member(3) + new Main().member(4L));
    }
}
TEXT
javac Main.java
flags=(-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:TieredStopAtLevel=1 -XX:-Inline)
t() {
    echo "-- $*"
    java "${flags[@]}" "$@" -cp . Main | grep -E 'Main|^[0-9]+$|CompileCommand' | grep -v SKIPPED | sed -E 's/^ *[0-9]+ +[0-9]+ /# /'
}
t -Xcomp -XX:+PrintCompilation
t -Xcomp -XX:+PrintCompilation -XX:CompileCommand=exclude,Main::once
t -Xcomp -XX:CompileCommand=exclude,Main::m*
t -Xcomp -XX:+PrintCompilation -XX:CompileCommand=quiet '-XX:CompileCommand=compileonly,Main.member (J)I'
t -Xcomp -XX:+PrintCompilation -XX:CompileCommand=quiet -XX:CompileCommand=exclude,Main::*er -XX:CompileCommand=exclude,Main::member,false
t -Xcomp -XX:+PrintCompilation -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,*.*ck* -XX:CompileCommand=compileonly,Other::*
t -Xcomp -XX:+PrintCompilation -XX:CompileCommand=quiet -XX:CompileOnly=Main.guarded
t -Xcomp -Xint -XX:+PrintCompilation
t -Xcomp -XX:-UseCompiler -XX:+PrintCompilation
t -Xcomp -Xmixed -XX:+PrintCompilation
echo "compileonly Main.locked" >commands
t -Xcomp -XX:+PrintCompilation -XX:CompileCommand=quiet -XX:CompileCommandFile=commands
# what the flags come to; java.vm.info is "mixed mode" here only where something is compiled
for f in -Xmixed -Xint -Xcomp -Xbatch -XX:-BackgroundCompilation -XX:TieredStopAtLevel=0 -XX:CompileThresholdScaling=0 -XX:CompileThresholdScaling=0.5 \
    -XX:-UseCompiler -XX:-UseInterpreter; do
    echo "-- $f"
    java "${flags[@]}" "$f" -XX:+PrintFlagsFinal -version >out 2>&1
    grep -E ' (BackgroundCompilation|CompileThresholdScaling|PrintCompilation|TieredStopAtLevel|UseCompiler|UseInterpreter) ' out
    case $f in -XX:TieredStopAtLevel=0 | -XX:-UseCompiler) ;; *) grep -o '[a-z]* mode' out ;; esac
done
echo "-- -XX:+CITime"
java "${flags[@]}" -Xcomp -XX:+CITime -cp . Main | grep -cE 'Total compiled (methods|bytecodes) +: +[1-9]|Average compilation speed +: +[1-9]'
