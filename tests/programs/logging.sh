#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -Xlog and -verbose: outputs, levels, decorations, files, what is wrong in them, and the lines that both VMs print alike.
# @mask \d+\.\d+s|\d+ms|0x[0-9a-f]+
set -eu
cat >Say.java <<'TEXT'
public class Say {
    static class Inner {
        static int n = 3;
    }
    public static void main(String[] args) {
        System.out.println("said " + Inner.n);
        if (args.length > 0)
            throw new IllegalStateException("thrown");
    }
}
TEXT
javac -g Say.java
t() {
    echo "\$ $*"
    code=0
    java "$@" -cp . Say >out 2>err </dev/null || code=$?
    sed 's/^/  /' out
    sed 's/^/! /' err
    if ((code != 0)); then
        echo "exit code $code"
    fi
}
for wrong in foo gc=foo gc:nodir/x.log gc::foo class+foo gc+gc gc+hea gc=info=debug gc,class+load:stdout:foo \
    gc:type=x.log gc:stdout=x.log gc:type=x:foo gc:a=b::foo=1 "gc:\"a=b\"" gc:file=x.log::filecount=foo gc:x.log::filesize=1x gc:x.log::foo=1 gc:file= \
    gc:file=/; do
    t "-Xlog:$wrong"
done
t -Xloggc:nodir/x.log
for wrong in gc+heap+ergo+cpu+age+alloc "gc:#2" "gc:#x" gc:file=/dev/null gc:file=x.log:time:filesize gc:file=x.log:time:FILESIZE=3k; do
    t "-Xlog:$wrong"
done
t -Xloggc
t -Xlogfoo
t -Xlog:disable
t -Xlog:disable -Xlog:all=warning:stderr
t -Xlog:class+load=off:stdout:level,tags:filesize=3
t -Xlog:class+load=off:stdout:::x
t "-Xlog:all=warning:#1"
echo "class loading"
t -Xlog:class+load:stdout:none | grep Say
t -Xlog:class+load:stdout:tags,level | grep Say
t -Xlog:class+load=info:stderr:l | grep Say
t -verbose | grep Say
t -verbose:class | grep Say
java -Xlog:class+load:file=classes.log:none -cp . Say
grep Say classes.log
java '-Xlog:class+load:file="by pid %p.log":level' -cp . Say
cat "by pid "*.log | grep Say
echo "initialization"
java -Xlog:class+init:stdout:none -cp . Say | grep Say | sed "s/^[0-9]* //"
echo "exceptions"
java -Xlog:exceptions=info:stdout:none -cp . Say x 2>&1 | grep -A 2 IllegalState
echo "natives"
java -verbose:jni -cp . Say | grep 'Thread.start0\|FileOutputStream.writeBytes'
echo "collections"
java -Xloggc: -cp . Say | grep -o '\[gc\] .*Xloggc.*\|\[gc\] Using'
java -verbose:gc -cp . Say | grep -o '\[gc\] Using'
java -XX:+PrintGC -cp . Say | grep -o 'XX.*'
java -Xloggc:gc.log -cp . Say | grep -o 'Xloggc.*'
grep -c Using gc.log
