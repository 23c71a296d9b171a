#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -Xlog and -verbose: outputs, levels, decorations, files, what is wrong in them, and the lines that both VMs print alike.
# @mask \d+\.\d+s|\d+ms|0x[0-9a-f]+
# @not stress it collects at each step, and each collection is logged
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
cat >Collect.java <<'TEXT'
public class Collect {
    public static void main(String[] args) {
        System.gc();
    }
}
TEXT
javac -g Say.java Collect.java
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
echo "modules, classes, the start"
java -Xlog:module+load:stdout:none -Xshare:off -cp . Say | grep 'location: jrt:/java\.' | sort
java -Xlog:class+path:stdout:none -Xshare:off -cp . Say | sed 's,path=.*/lib,path=HOME/lib,'
java -Xlog:class+path:stdout:none -Xshare:off -Xbootclasspath/a:x.jar -cp . Say | sed 's,path=.*/lib,path=HOME/lib,'
java -Xlog:class+resolve=debug:stdout:none -Xshare:off -cp . Say | grep '^Say.* \(Say\|java.lang.Object (super)\|java.lang.System\|java.io.PrintStream\)' | grep -v '(v\|(e' | sort -u
java -Xlog:startuptime:stdout:none -Xshare:off -cp . Say | grep -o '^\(Initialize java.lang.* classes\|Initialize module system\|Create VM\), [0-9.]\{9\} secs' | sed 's/[0-9.]* secs//'
echo "libraries and threads"
java -Xlog:os:stdout:none -cp . Say | sed -n 's,^\(.* library load of \).*/libjava.so,\1libjava.so,p;s/^[A-Za-z]* is running with/is running with/p'
java -Xlog:os+thread:stdout:none -cp . Say | grep -o 'Thread is alive (tid: [0-9]*, pthread id: [0-9]*).\|Thread "Unknown thread" started (pthread id: [0-9]*, attributes: ' | sed 's/: [0-9]*//g' | sort -u
echo "sizes and costs"
java -XX:+UseSerialGC -Xms16m -Xmx64m -Xlog:gc+init:stdout:none -cp . Say | grep -v Version | grep -v 'Compressed\|Min'
java -XX:+UseSerialGC -Xms16m -Xmx64m -Xlog:pagesize:stdout:none -cp . Say | grep 'Large page\|Heap:' | sed 's/min=[0-9]*M //'
java -XX:+UseSerialGC -Xlog:gc+cpu,gc+phases:stdout:none -cp . Collect | sed 's/[0-9]*\.[0-9]*/N/g'
