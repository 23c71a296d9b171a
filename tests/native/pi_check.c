// SPDX-License-Identifier: Apache-2.0
// Breaks each rule that -Xcheck:jvmpi knows, under a heading; what the VM says on stderr goes to
// stdout. The natives are those of PiCheck.
#include <pthread.h>
#include <unistd.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiCheck, type, name, ##__VA_ARGS__)

static JNIEnv *other;
static JVMPI_RawMonitor owned, foreign;
static jint ignored;

static void notify(JVMPI_Event *e);

static void section(const char *name)
{
    printf("%s:\n", name);
    fflush(stdout);
}

// Ends what calls the interface, so that no call of it is a jump, whose place would be another.
static void done(void)
{
    fflush(stdout);
}

static void run_nothing(void *unused)
{
    (void)unused;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    dup2(1, 2);
    section("NotifyEvent");
    pi_start(vm, JVMPI_VERSION_1_2, NULL);
    return JNI_OK;
}

// ---- what no mode forbids, called where it is forbidden ----
__attribute__((noinline)) static void use_ids(jmethodID method, jobject o)
{
    pi->GetThreadObject(other);
    pi->GetMethodClass(method);
    jobjectID id = pi->jobject2jobjectID(o);
    pi->jobjectID2jobject(id);
    pi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, id);
    pi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id);
    pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id);
    pi->RequestEvent(JVMPI_EVENT_THREAD_START, id);
    done();
}

__attribute__((noinline)) static void suspend_and_resume(void)
{
    pi->SuspendThread(other);
    pi->ResumeThread(other);
    pi->SuspendThreadList(1, &other, &ignored);
    pi->ResumeThreadList(1, &other, &ignored);
    done();
}

__attribute__((noinline)) static void block(JVMPI_RawMonitor m)
{
    JVMPI_RawMonitor made = pi->RawMonitorCreate("made");
    pi->RawMonitorEnter(m);
    pi->RawMonitorExit(m);
    pi->RawMonitorDestroy(made);
    pi->RunGC();
    pi->CreateSystemThread("made", JVMPI_NORMAL_PRIORITY, run_nothing);
    done();
}

static void in_collection(void)
{
    pi->RawMonitorEnter(owned); // it is: of the thread that collects
    pi->RawMonitorExit(owned);
    pi->GetThreadObject(other);
    block(foreign);
    pi->RawMonitorWait(owned, 1);
    suspend_and_resume();
    pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    done();
}

static void notify(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_GC_FINISH) {
        section("in an event of a collection");
        in_collection();
    }
}

// ---- natives ----
NATIVE(void, here)
{
    __atomic_store_n(&other, env, __ATOMIC_SEQ_CST);
}

NATIVE(void, start)
{
    while (!__atomic_load_n(&other, __ATOMIC_SEQ_CST))
        pause_ms(1);
    pi->NotifyEvent = notify;
    owned = pi->RawMonitorCreate("owned");
    foreign = pi->RawMonitorCreate("foreign");
}

NATIVE(void, ids, jobject o)
{
    jmethodID main_id = (*env)->GetStaticMethodID(env, cls, "main", "([Ljava/lang/String;)V");
    section("with GC enabled");
    use_ids(main_id, o);
    suspend_and_resume();
    section("with GC disabled");
    pi->DisableGC();
    use_ids(main_id, o);
    suspend_and_resume();
    block(foreign);
    pi->EnableGC();
    done();
}

static void *resume_other(void *unused)
{
    (void)unused;
    pi->DisableGC();
    pi->ResumeThread(other);
    pi->EnableGC();
    return NULL;
}

NATIVE(void, suspended)
{
    section("while a thread is suspended");
    pi->DisableGC();
    pi->SuspendThread(other);
    pi->ThreadHasRun(other);
    block(foreign);
    pi->EnableGC();
    pi->DisableGC();
    pi->ResumeThread(other);
    section("resumed by another");
    pthread_t resumer;
    pi->SuspendThread(other);
    pthread_create(&resumer, NULL, resume_other, NULL);
    pthread_join(resumer, NULL);
    pi->EnableGC();
    pi->DisableGC();
    section("not suspended");
    pi->ThreadHasRun(other);
    pi->ResumeThread(other);
    pi->EnableGC();
    section("not disabled");
    pi->EnableGC();
    done();
}

NATIVE(void, collection)
{
    pi_enable(JVMPI_EVENT_GC_FINISH);
    pi->RawMonitorEnter(owned);
    pi->RunGC();
    pi->RawMonitorExit(owned);
    pi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    done();
}

NATIVE(void, takeForeign)
{
    pi->RawMonitorEnter(foreign);
    done();
}

NATIVE(void, leaveForeign)
{
    pi->RawMonitorExit(foreign);
    done();
}

NATIVE(void, monitors)
{
    section("not owned");
    pi->RawMonitorExit(foreign);
    pi->RawMonitorWait(foreign, 1);
    pi->RawMonitorNotifyAll(foreign);
    pi->RawMonitorDestroy(foreign);
    section("no monitor");
    JVMPI_RawMonitor none = (JVMPI_RawMonitor)(void *)&ignored;
    pi->RawMonitorEnter(none);
    pi->RawMonitorExit(none);
    pi->RawMonitorWait(none, 1);
    pi->RawMonitorNotifyAll(none);
    pi->RawMonitorDestroy(NULL);
    section("all right");
    pi->RawMonitorEnter(owned);
    pi->RawMonitorNotifyAll(owned);
    pi->RawMonitorWait(owned, 1);
    pi->RawMonitorExit(owned);
    pi->RawMonitorDestroy(owned);
    pi->RunGC();
    done();
}
