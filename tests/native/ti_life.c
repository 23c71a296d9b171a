// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Life.java: the order of the events of a VM's, a thread's and a class's life.
#include <pthread.h>
#include <unistd.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static int collections, in_collection;

static int phase(void)
{
    jvmtiPhase p = 0;
    MUST((*ti)->GetPhase(ti, &p));
    return (int)p;
}

static int is_own(const char *name)
{
    return strstr(name, "Life") != NULL;
}

static JavaVM *java_vm;

// A native thread that attaches itself, calls Java, and leaves.
static void *attach(void *arg)
{
    JNIEnv *jni;
    jint rc = (*java_vm)->AttachCurrentThread(java_vm, (void **)&jni, NULL);
    say("%s: another thread attaches: %d", (const char *)arg, (int)rc);
    if (rc != JNI_OK)
        return NULL;
    jstring text = (*jni)->NewStringUTF(jni, "attached");
    say("%s: it has %d characters", (const char *)arg, (int)(*jni)->GetStringLength(jni, text));
    (*java_vm)->DetachCurrentThread(java_vm);
    return NULL;
}

static void attach_another(const char *when)
{
    pthread_t thread;
    pthread_create(&thread, NULL, attach, (void *)when);
    pthread_join(thread, NULL);
}

static void JNICALL vm_start(jvmtiEnv *env, JNIEnv *jni)
{
    say("VMStart phase %d jni %x", phase(), (unsigned)(*jni)->GetVersion(jni));
    jthread t;
    MUST((*env)->GetCurrentThread(env, &t));
    say("VMStart has a thread: %d", t != NULL);
    attach_another("VMStart");
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jint frames;
    MUST((*env)->GetFrameCount(env, thread, &frames));
    attach_another("VMInit");
    say("VMInit phase %d thread %s frames %d", phase(), thread_name(env, jni, thread),
        (int)frames);
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    while (__atomic_load_n(&in_collection, __ATOMIC_SEQ_CST))
        usleep(1000); // of another thread
    say("VMDeath phase %d, collections seen: %d", phase(), collections > 0);
}

static void JNICALL thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    const char *name = thread_name(env, jni, thread);
    if (strcmp(name, "main") == 0 || strncmp(name, "worker", 6) == 0)
        say("ThreadStart %s", name);
}

static void JNICALL thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    const char *name = thread_name(env, jni, thread);
    if (strcmp(name, "main") == 0 || strncmp(name, "worker", 6) == 0)
        say("ThreadEnd %s", name);
}

static void JNICALL class_file(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                               const char *name, jobject domain, jint len,
                               const unsigned char *bytes, jint *new_len,
                               unsigned char **new_bytes)
{
    if (!name || !is_own(name))
        return;
    say("ClassFileLoadHook %s %s loader %d domain %d magic %02x%02x%02x%02x", name,
        redefined ? "again" : "first", loader != NULL, domain != NULL, bytes[0], bytes[1],
        bytes[2], bytes[3]);
    if (strcmp(name, "Life$Changed") != 0)
        return;
    // Changes the text "before" of the constant pool.
    unsigned char *copy;
    MUST((*env)->Allocate(env, len, &copy));
    memcpy(copy, bytes, (size_t)len);
    for (jint i = 0; i + 6 < len; i++)
        if (memcmp(copy + i, "before", 6) == 0)
            memcpy(copy + i, "behind", 6);
    *new_len = len;
    *new_bytes = copy;
    (void)jni;
}

static void JNICALL class_load(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    jint status;
    const char *name = class_name(env, c);
    if (!is_own(name) || strchr(name, '.'))
        return;
    MUST((*env)->GetClassStatus(env, c, &status));
    say("ClassLoad %s in %s status %d", name, thread_name(env, jni, thread), (int)status);
}

static void JNICALL class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    jint status, methods;
    jmethodID *ids;
    const char *name = class_name(env, c);
    if (!is_own(name) || strchr(name, '.'))
        return;
    MUST((*env)->GetClassStatus(env, c, &status));
    MUST((*env)->GetClassMethods(env, c, &methods, &ids));
    release(env, ids);
    say("ClassPrepare %s in %s status %d methods %d", name, thread_name(env, jni, thread),
        (int)status, (int)methods);
}

static void JNICALL gc_start(jvmtiEnv *env)
{
    (void)env;
    in_collection++;
}

static void JNICALL gc_finish(jvmtiEnv *env)
{
    void *p;
    if ((*env)->Allocate(env, 10, (unsigned char **)&p) == JVMTI_ERROR_NONE)
        (*env)->Deallocate(env, p);
    in_collection--;
    collections++;
}

static void JNICALL native_bind(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                void *address, void **new_address)
{
    (void)thread;
    if (phase() == JVMTI_PHASE_PRIMORDIAL)
        return; // names cannot be asked for yet
    const char *name = method_name(env, jni, method);
    if (is_own(name))
        say("NativeMethodBind %s %d %d", name, address != NULL, new_address != NULL);
}

EXPORT(jint, Java_Life_bound, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 17;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    java_vm = vm;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    say("OnLoad '%s' %d phase %d", options ? options : "NULL", reserved != NULL, phase());
    jvmtiCapabilities want = {.can_generate_all_class_hook_events = 1,
                              .can_generate_garbage_collection_events = 1,
                              .can_generate_native_method_bind_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks calls = {.VMStart = vm_start,
                                 .VMInit = vm_init,
                                 .VMDeath = vm_death,
                                 .ThreadStart = thread_start,
                                 .ThreadEnd = thread_end,
                                 .ClassFileLoadHook = class_file,
                                 .ClassLoad = class_load,
                                 .ClassPrepare = class_prepare,
                                 .GarbageCollectionStart = gc_start,
                                 .GarbageCollectionFinish = gc_finish,
                                 .NativeMethodBind = native_bind};
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_START,
                                        JVMTI_EVENT_VM_INIT,
                                        JVMTI_EVENT_VM_DEATH,
                                        JVMTI_EVENT_THREAD_START,
                                        JVMTI_EVENT_THREAD_END,
                                        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                        JVMTI_EVENT_CLASS_LOAD,
                                        JVMTI_EVENT_CLASS_PREPARE,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                        JVMTI_EVENT_NATIVE_METHOD_BIND};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        enable(ti, events[i]);
    return JNI_OK;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    say("OnUnload phase %d", phase());
}
