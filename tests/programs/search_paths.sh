#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# AddToBootstrapClassLoaderSearch and AddToSystemClassLoaderSearch: lists of paths in OnLoad, folders, jars that are none, empty ones,
# ones behind a script, with spaces and other letters in their names, before and while the program runs.
# @timeout 120
set -eu
mkdir -p source classes folder
cat >agent.c <<'TEXT'
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static jvmtiEnv *ti;

JNIEXPORT jint JNICALL Java_Search_boot(JNIEnv *jni, jclass c, jstring path)
{
    const char *text = (*jni)->GetStringUTFChars(jni, path, NULL);
    (void)c;
    return (jint)(*ti)->AddToBootstrapClassLoaderSearch(ti, text);
}

JNIEXPORT jint JNICALL Java_Search_system(JNIEnv *jni, jclass c, jstring path)
{
    const char *text = (*jni)->GetStringUTFChars(jni, path, NULL);
    (void)c;
    return (jint)(*ti)->AddToSystemClassLoaderSearch(ti, text);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11);
    for (char *one = strtok(options, ","); one; one = strtok(NULL, ","))
        printf("%s %d\n", one,
               *one == 'b' ? (int)(*ti)->AddToBootstrapClassLoaderSearch(ti, one + 1)
                           : (int)(*ti)->AddToSystemClassLoaderSearch(ti, one + 1));
    fflush(stdout);
    return JNI_OK;
}
TEXT
cat >Search.java <<'TEXT'
public class Search {
    static native int boot(String path);
    static native int system(String path);

    static void find(String name) {
        String boot;
        try {
            boot = String.valueOf(Class.forName(name, true, null));
        } catch (ClassNotFoundException e) {
            boot = "not there";
        }
        try {
            Class<?> c = Class.forName(name);
            System.out.println(name + ": " + boot + ", " + (c.getClassLoader() != null) + " " + c.getProtectionDomain().getCodeSource() + " " + c.getPackage());
        } catch (ClassNotFoundException e) {
            System.out.println(name + ": " + boot + ", " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        System.out.println(System.getProperty("java.class.path") + " " + System.getProperty("jdk.boot.class.path.append"));
        for (String name : new String[] {"a.C", "b.C", "in.C"}) {
            find(name);
        }
        for (String path : new String[] {"none.jar", "c.jar:d.jar", "folder", "text.jar", "nothing.jar", "cut.jar", "c.jar", "with space.jar", "",
                 "ümläut.jar", "empty.jar", "script.jar"}) {
            System.out.println(path + ": " + boot(path) + " " + system(path));
        }
        for (String name : new String[] {"c.C", "d.C", "space.C", "letters.C", "behind.C"}) {
            find(name);
        }
        System.out.println(System.getProperty("java.class.path"));
    }
}
TEXT
gcc -shared -fPIC -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" -o libagent.so agent.c
for package in a b in c d space letters behind; do
    mkdir -p source/$package
    echo "package $package; public class C { }" >source/$package/C.java
done
javac -d classes source/*/C.java
for package in a b c d behind; do
    jar -c -f $package.jar -C classes $package
done
jar -c -f 'with space.jar' -C classes space
jar -c -f ümläut.jar -C classes letters
mv classes/in folder
echo text >text.jar
: >nothing.jar
head -c 100 c.jar >cut.jar
printf 'PK\5\6%018d' 0 | tr 0 '\0' >empty.jar
{ echo '#!/bin/sh'; cat behind.jar; } >script.jar
javac -d main Search.java
for paths in ba.jar:b.jar,bfolder sa.jar:none.jar:b.jar,sfolder b,s,btext.jar,bcut.jar,ba.jar: bnothing.jar,b:,b./b.jar; do
    java -Xshare:off -agentpath:./libagent.so=$paths -cp main Search
done
