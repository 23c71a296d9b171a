// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Misc.java: properties, storage, timers, modules, the JNI table, raw
// monitors, capabilities, several environments.
#include "ti_common.h"

static jvmtiEnv *ti, *second;
static int calls_of_version;
static jint(JNICALL *real_version)(JNIEnv *jni);

static int bits(const jvmtiCapabilities *c)
{
    int n = 0;
    for (size_t i = 0; i < sizeof *c; i++)
        n += __builtin_popcount(((const unsigned char *)c)[i]);
    return n;
}

static void property(const char *key)
{
    char *value = NULL;
    jvmtiError error = (*ti)->GetSystemProperty(ti, key, &value);
    say("property %s: %d %s", key, (int)error, error ? "" : value);
    if (!error)
        release(ti, value);
}

static void properties(void)
{
    jint n;
    char **keys;
    int seen = 0;
    property("misc.given");
    property("no.such");
    property("java.vm.specification.version");
    MUST((*ti)->GetSystemProperties(ti, &n, &keys));
    for (jint i = 0; i < n; i++) {
        seen += strcmp(keys[i], "java.vm.version") == 0 || strcmp(keys[i], "misc.given") == 0
                || strcmp(keys[i], "java.home") == 0;
        release(ti, keys[i]);
    }
    release(ti, keys);
    say("known properties: %d", seen);
}

static void capabilities(void)
{
    jvmtiCapabilities c, none = {0};
    MUST((*second)->GetCapabilities(second, &c));
    int first = bits(&c); // HotSpot gives some from the start
    jvmtiCapabilities want = {.can_tag_objects = 1, .can_get_line_numbers = 1};
    MUST((*second)->AddCapabilities(second, &want));
    MUST((*second)->AddCapabilities(second, &want));
    MUST((*second)->AddCapabilities(second, &none));
    MUST((*second)->GetCapabilities(second, &c));
    say("added: %d %d%d", bits(&c) - first, c.can_tag_objects, c.can_get_line_numbers);
    want.can_get_line_numbers = 0;
    MUST((*second)->RelinquishCapabilities(second, &want));
    MUST((*second)->GetCapabilities(second, &c));
    say("given up: %d %d%d", bits(&c) - first, c.can_tag_objects, c.can_get_line_numbers);
}

static void storage(void)
{
    void *p = &p;
    MUST((*ti)->GetEnvironmentLocalStorage(ti, &p));
    say("storage %s", p ? "something" : "nothing");
    MUST((*ti)->SetEnvironmentLocalStorage(ti, "one"));
    MUST((*second)->SetEnvironmentLocalStorage(second, "two"));
    MUST((*ti)->GetEnvironmentLocalStorage(ti, &p));
    say("storage %s", (char *)p);
    MUST((*second)->GetEnvironmentLocalStorage(second, &p));
    say("storage of the second %s", (char *)p);
}

static void memory(void)
{
    unsigned char *p = (unsigned char *)1;
    MUST((*ti)->Allocate(ti, 0, &p));
    say("nothing is %s", p ? "something" : "NULL");
    MUST((*ti)->Deallocate(ti, NULL));
    MUST((*ti)->Allocate(ti, 1000, &p));
    memset(p, 1, 1000);
    MUST((*ti)->Deallocate(ti, p));
}

static void general(void)
{
    jint version, cpus;
    jvmtiJlocationFormat format;
    jvmtiTimerInfo timer;
    jlong before, after;
    MUST((*ti)->GetVersionNumber(ti, &version));
    MUST((*ti)->GetJLocationFormat(ti, &format));
    MUST((*ti)->GetAvailableProcessors(ti, &cpus));
    MUST((*ti)->GetTimerInfo(ti, &timer));
    MUST((*ti)->GetTime(ti, &before));
    MUST((*ti)->GetTime(ti, &after));
    say("version %x format %d processors %d", (unsigned)version, (int)format, cpus > 0);
    say("timer kind %d skips %d %d, runs %d", (int)timer.kind, timer.may_skip_forward,
        timer.may_skip_backward, after >= before);
    say("verbose %d %d", (int)(*ti)->SetVerboseFlag(ti, JVMTI_VERBOSE_OTHER, JNI_FALSE),
        (int)(*ti)->SetVerboseFlag(ti, (jvmtiVerboseFlag)77, JNI_TRUE));
}

static void monitors(void)
{
    jrawMonitorID m;
    MUST((*ti)->CreateRawMonitor(ti, "m", &m));
    say("exit %d wait %d notify %d all %d", (int)(*ti)->RawMonitorExit(ti, m),
        (int)(*ti)->RawMonitorWait(ti, m, 1), (int)(*ti)->RawMonitorNotify(ti, m),
        (int)(*ti)->RawMonitorNotifyAll(ti, m));
    MUST((*ti)->RawMonitorEnter(ti, m));
    MUST((*second)->RawMonitorEnter(second, m));
    say("timed out %d", (int)(*ti)->RawMonitorWait(ti, m, 5));
    MUST((*ti)->RawMonitorNotify(ti, m));
    MUST((*ti)->RawMonitorExit(ti, m));
    MUST((*ti)->RawMonitorExit(ti, m));
    say("once more %d", (int)(*ti)->RawMonitorExit(ti, m));
    MUST((*ti)->RawMonitorEnter(ti, m));
    say("destroyed while owned %d", (int)(*ti)->DestroyRawMonitor(ti, m));
    say("destroyed again %d", (int)(*ti)->DestroyRawMonitor(ti, m));
}

static jint JNICALL my_version(JNIEnv *jni)
{
    calls_of_version++;
    return real_version(jni);
}

static void intercept(JNIEnv *jni)
{
    jniNativeInterface *table, *changed;
    MUST((*ti)->GetJNIFunctionTable(ti, &table));
    MUST((*ti)->GetJNIFunctionTable(ti, &changed));
    real_version = table->GetVersion;
    changed->GetVersion = my_version;
    MUST((*ti)->SetJNIFunctionTable(ti, changed));
    release(ti, changed);
    say("JNI version %x", (unsigned)(*jni)->GetVersion(jni));
    MUST((*ti)->SetJNIFunctionTable(ti, table));
    release(ti, table);
    (*jni)->GetVersion(jni);
    say("intercepted %d", calls_of_version);
}

EXPORT(void, Java_Misc_run, JNIEnv *jni, jclass c)
{
    (void)c;
    properties();
    capabilities();
    storage();
    memory();
    general();
    monitors();
    intercept(jni);
    say("set in live phase: %d", (int)(*ti)->SetSystemProperty(ti, "misc.given", "x"));
}

EXPORT(void, Java_Misc_modules, JNIEnv *jni, jclass c, jobject own, jobject base,
       jobject loader, jclass service, jclass provider)
{
    (void)c;
    jint n;
    jobject *modules, module;
    jboolean can;
    int found = 0;
    MUST((*ti)->GetAllModules(ti, &n, &modules));
    for (jint i = 0; i < n; i++)
        found += (*jni)->IsSameObject(jni, modules[i], own)
                 || (*jni)->IsSameObject(jni, modules[i], base);
    say("modules %d, known among them %d", n > 10, found);
    release(ti, modules);
    MUST((*ti)->GetNamedModule(ti, NULL, "java/lang", &module));
    say("java.lang in java.base: %d", (*jni)->IsSameObject(jni, module, base));
    MUST((*ti)->GetNamedModule(ti, NULL, "no/such", &module));
    say("no.such in %s", module ? "some" : "none");
    MUST((*ti)->GetNamedModule(ti, loader, "", &module));
    say("unnamed package in %s", module ? "some" : "none");
    MUST((*ti)->IsModifiableModule(ti, base, &can));
    say("modifiable %d", can);
    say("reads %d", (int)(*ti)->AddModuleReads(ti, base, own));
    say("exports %d", (int)(*ti)->AddModuleExports(ti, base, "jdk.internal.misc", own));
    say("opens %d", (int)(*ti)->AddModuleOpens(ti, base, "java.util", own));
    say("exports of none %d", (int)(*ti)->AddModuleExports(ti, base, "no.such", own));
    say("exports with slashes %d", (int)(*ti)->AddModuleExports(ti, base, "java/util", own));
    say("exports of unnamed %d", (int)(*ti)->AddModuleExports(ti, own, "no.such", base));
    say("uses %d provides %d", (int)(*ti)->AddModuleUses(ti, base, service),
        (int)(*ti)->AddModuleProvides(ti, base, service, provider));
    jclass type = (*jni)->FindClass(jni, "java/lang/Integer");
    type = (*jni)->GetStaticObjectField(
        jni, type, (*jni)->GetStaticFieldID(jni, type, "TYPE", "Ljava/lang/Class;"));
    say("uses a primitive %d provides %d %d", (int)(*ti)->AddModuleUses(ti, base, type),
        (int)(*ti)->AddModuleProvides(ti, base, type, provider),
        (int)(*ti)->AddModuleProvides(ti, base, service, type));
}

EXPORT(void, Java_Misc_append, JNIEnv *jni, jclass c, jstring path)
{
    (void)c;
    const char *text = (*jni)->GetStringUTFChars(jni, path, NULL);
    say("boot append %d", (int)(*ti)->AddToBootstrapClassLoaderSearch(ti, text));
    say("system append %d", (int)(*ti)->AddToSystemClassLoaderSearch(ti, text));
    say("no jar %d %d", (int)(*ti)->AddToBootstrapClassLoaderSearch(ti, "no-such.jar"),
        (int)(*ti)->AddToSystemClassLoaderSearch(ti, "no-such.jar"));
    (*jni)->ReleaseStringUTFChars(jni, path, text);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    second = new_env(vm, JVMTI_VERSION_1_0);
    say("environments differ: %d", ti != second);
    property("misc.given");
    say("set: %d", (int)(*ti)->SetSystemProperty(ti, "misc.given", "changed by the agent"));
    say("set unknown: %d", (int)(*ti)->SetSystemProperty(ti, "misc.new", "new"));
    static const char *const fixed[] = {"java.vm.version", "java.vm.name", "jdk.debug",
                                        "jdk.boot.class.path.append"};
    for (int i = 0; i < 4; i++)
        say("set %s: %d", fixed[i], (int)(*ti)->SetSystemProperty(ti, fixed[i], "new"));
    return JNI_OK;
}
