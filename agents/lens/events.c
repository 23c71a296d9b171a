// SPDX-License-Identifier: Apache-2.0
// The agent's one table of callbacks: each calls its event's listeners in the order in which
// they came. Events are switched by counts, so that several orders may want the same one.
//
// Readers of shared data are counted by epochs: a callback adds itself to the counters of the
// epoch at its begin; who waits for listeners turns the epoch twice and waits each time until
// the old one's counters are zero. `switches` guards counts and switching, which agents'
// threads alone do.
#include "agent.h"

#include <time.h>

#define FAST_TLS static __thread __attribute__((tls_model("initial-exec")))

// event, field of jvmtiEventCallbacks, parameters after the environment, arguments
#define EVENTS(X)                                                                              \
    X(VM_INIT, VMInit, (jvmtiEnv * ti, JNIEnv * jni, jthread thread), (ti, jni, thread))       \
    X(VM_DEATH, VMDeath, (jvmtiEnv * ti, JNIEnv * jni), (ti, jni))                             \
    X(THREAD_START, ThreadStart, (jvmtiEnv * ti, JNIEnv * jni, jthread thread),                \
      (ti, jni, thread))                                                                       \
    X(THREAD_END, ThreadEnd, (jvmtiEnv * ti, JNIEnv * jni, jthread thread), (ti, jni, thread)) \
    X(CLASS_FILE_LOAD_HOOK, ClassFileLoadHook,                                                 \
      (jvmtiEnv * ti, JNIEnv * jni, jclass redefined, jobject loader, const char *name,        \
       jobject domain, jint len, const unsigned char *data, jint *new_len,                     \
       unsigned char **new_data),                                                              \
      (ti, jni, redefined, loader, name, domain, len, data, new_len, new_data))                \
    X(CLASS_LOAD, ClassLoad, (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jclass class),      \
      (ti, jni, thread, class))                                                                \
    X(CLASS_PREPARE, ClassPrepare,                                                             \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jclass class), (ti, jni, thread, class))   \
    X(EXCEPTION, Exception,                                                                    \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jlocation location,      \
       jobject exception, jmethodID catch_method, jlocation catch_location),                   \
      (ti, jni, thread, method, location, exception, catch_method, catch_location))            \
    X(EXCEPTION_CATCH, ExceptionCatch,                                                         \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jlocation location,      \
       jobject exception),                                                                     \
      (ti, jni, thread, method, location, exception))                                          \
    X(SINGLE_STEP, SingleStep,                                                                 \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jlocation location),     \
      (ti, jni, thread, method, location))                                                     \
    X(FRAME_POP, FramePop,                                                                     \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jboolean by_exception),  \
      (ti, jni, thread, method, by_exception))                                                 \
    X(BREAKPOINT, Breakpoint,                                                                  \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jlocation location),     \
      (ti, jni, thread, method, location))                                                     \
    X(FIELD_ACCESS, FieldAccess,                                                               \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jlocation location,      \
       jclass class, jobject object, jfieldID field),                                          \
      (ti, jni, thread, method, location, class, object, field))                               \
    X(FIELD_MODIFICATION, FieldModification,                                                   \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jlocation location,      \
       jclass class, jobject object, jfieldID field, char type, jvalue value),                 \
      (ti, jni, thread, method, location, class, object, field, type, value))                  \
    X(METHOD_ENTRY, MethodEntry,                                                               \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method),                         \
      (ti, jni, thread, method))                                                               \
    X(METHOD_EXIT, MethodExit,                                                                 \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, jboolean by_exception,   \
       jvalue value),                                                                          \
      (ti, jni, thread, method, by_exception, value))                                          \
    X(NATIVE_METHOD_BIND, NativeMethodBind,                                                    \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jmethodID method, void *address,           \
       void **new_address),                                                                    \
      (ti, jni, thread, method, address, new_address))                                         \
    X(COMPILED_METHOD_LOAD, CompiledMethodLoad,                                                \
      (jvmtiEnv * ti, jmethodID method, jint size, const void *address, jint map_len,          \
       const jvmtiAddrLocationMap *map, const void *info),                                     \
      (ti, method, size, address, map_len, map, info))                                         \
    X(COMPILED_METHOD_UNLOAD, CompiledMethodUnload,                                            \
      (jvmtiEnv * ti, jmethodID method, const void *address), (ti, method, address))           \
    X(DYNAMIC_CODE_GENERATED, DynamicCodeGenerated,                                            \
      (jvmtiEnv * ti, const char *name, const void *address, jint len),                        \
      (ti, name, address, len))                                                                \
    X(MONITOR_WAIT, MonitorWait,                                                               \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jobject object, jlong timeout),            \
      (ti, jni, thread, object, timeout))                                                      \
    X(MONITOR_WAITED, MonitorWaited,                                                           \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jobject object, jboolean timed_out),       \
      (ti, jni, thread, object, timed_out))                                                    \
    X(MONITOR_CONTENDED_ENTER, MonitorContendedEnter,                                          \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jobject object),                           \
      (ti, jni, thread, object))                                                               \
    X(MONITOR_CONTENDED_ENTERED, MonitorContendedEntered,                                      \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jobject object),                           \
      (ti, jni, thread, object))                                                               \
    X(GARBAGE_COLLECTION_START, GarbageCollectionStart, (jvmtiEnv * ti), (ti))                 \
    X(GARBAGE_COLLECTION_FINISH, GarbageCollectionFinish, (jvmtiEnv * ti), (ti))               \
    X(SAMPLED_OBJECT_ALLOC, SampledObjectAlloc,                                                \
      (jvmtiEnv * ti, JNIEnv * jni, jthread thread, jobject object, jclass class, jlong size), \
      (ti, jni, thread, object, class, size))

enum { FIRST = JVMTI_MIN_EVENT_TYPE_VAL, EVENT_COUNT = JVMTI_MAX_EVENT_TYPE_VAL - FIRST + 1 };
enum { SHARDS = 32, MEASURED = 16 };

static void (*listeners[EVENT_COUNT][LENS_LISTENERS + 1])(void); // each row ends with NULL
static unsigned wanted[EVENT_COUNT];
static pthread_mutex_t switches = PTHREAD_MUTEX_INITIALIZER;

static struct {
    _Alignas(64) _Atomic int32_t inside[2]; // by the epoch's lowest bit
} shards[SHARDS];
static _Atomic unsigned epoch;

FAST_TLS bool is_own_thread;
FAST_TLS bool is_listening; // inside a callback of ours
FAST_TLS bool is_asking;    // in lens_ask_for_events: hears what it asks for
FAST_TLS unsigned turns;

bool lens_is_own_thread(void)
{
    return is_own_thread;
}

bool lens_is_listening(void)
{
    return is_listening;
}

void lens_own_thread_begin(void)
{
    is_own_thread = true;
}

// What a callback keeps from its begin to its end.
typedef struct Visit {
    _Atomic int32_t *inside; // NULL: is not counted
    uint64_t began;          // CPU time of the thread; 0: is not measured
} Visit;

// The VM's begin and end are not counted: while the end is heard the agent's thread waits for
// listeners.
static bool visit_begin(Visit *visit, bool is_counted)
{
    *visit = (Visit){0};
    if (!is_counted) {
        return true;
    }
    if ((is_own_thread && !is_asking) || is_listening
        || !atomic_load_explicit(&lens.is_live, memory_order_acquire)) {
        return false;
    }
    is_listening = true;
    unsigned shard = (unsigned)(agent_mix((uintptr_t)&is_listening) >> 32) % SHARDS;
    visit->inside = &shards[shard].inside[atomic_load(&epoch) & 1];
    atomic_fetch_add(visit->inside, 1);
    bool is_measured =
        !is_own_thread && turns++ % MEASURED == 0; // its own time is counted whole
    visit->began = is_measured ? lens_thread_nanos() : 0;
    return true;
}

static void visit_end(Visit *visit)
{
    if (visit->inside == NULL) {
        return;
    }
    if (visit->began != 0) {
        lens_count(LENS_AGENT_NANOS, (int64_t)(lens_thread_nanos() - visit->began) * MEASURED);
    }
    assert(is_listening && atomic_load(visit->inside) > 0);
    atomic_fetch_sub(visit->inside, 1);
    is_listening = false;
}

#define IS_COUNTED(event) ((event) != JVMTI_EVENT_VM_INIT && (event) != JVMTI_EVENT_VM_DEATH)
#define CALLBACK(EVENT, Field, parameters, arguments)                                      \
    static void JNICALL on_##Field parameters                                              \
    {                                                                                      \
        Visit visit;                                                                       \
        if (!visit_begin(&visit, IS_COUNTED(JVMTI_EVENT_##EVENT))) {                       \
            return;                                                                        \
        }                                                                                  \
        for (void (**f)(void) = listeners[JVMTI_EVENT_##EVENT - FIRST]; *f != NULL; f++) { \
            ((jvmtiEvent##Field) * f) arguments;                                           \
        }                                                                                  \
        visit_end(&visit);                                                                 \
    }
EVENTS(CALLBACK)

#define ASSERT_EVENT(event) \
    assert((event) >= JVMTI_MIN_EVENT_TYPE_VAL && (event) <= JVMTI_MAX_EVENT_TYPE_VAL)

bool lens_events_load(void)
{
#define ENTRY(EVENT, Field, parameters, arguments) .Field = on_##Field,
    static const jvmtiEventCallbacks CALLBACKS = {EVENTS(ENTRY)};
    return AGENT_CALL(lens.jvmti, SetEventCallbacks, &CALLBACKS, (jint)sizeof CALLBACKS);
}

void lens_listen(jvmtiEvent event, void (*function)(void))
{
    ASSERT_EVENT(event);
    assert(function != NULL && !atomic_load(&lens.is_live)); // nobody reads the rows yet
    void (**row)(void) = listeners[event - FIRST];
    for (size_t i = 0; i < LENS_LISTENERS; i++) {
        if (row[i] == NULL) {
            row[i] = function;
            return;
        }
    }
    agent_message("too many listeners of event %d", (int)event);
}

bool lens_want_event_in(jvmtiEvent event, bool on, jthread thread)
{
    return AGENT_CALL(lens.jvmti, SetEventNotificationMode, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                      event, thread);
}

bool lens_want_event(jvmtiEvent event, bool on)
{
    ASSERT_EVENT(event);
    pthread_mutex_lock(&switches);
    unsigned *count = &wanted[event - FIRST];
    bool turns_over = on ? *count == 0 : *count == 1, good = true;
    if (turns_over) {
        good = lens_want_event_in(event, on, NULL);
    }
    if (on && good) {
        ++*count;
    } else if (!on && *count > 0) {
        --*count;
    }
    pthread_mutex_unlock(&switches);
    return good;
}

bool lens_want_events(const jvmtiEvent *events, size_t len, bool on)
{
    for (size_t i = 0; i < len; i++) {
        if (!lens_want_event(events[i], on) && on) {
            lens_want_events(events, i, false);
            return false;
        }
    }
    return true;
}

bool lens_ask_for_events(jvmtiEvent event)
{
    assert(!is_asking);
    is_asking = true;
    bool good = AGENT_CALL(lens.jvmti, GenerateEvents, event);
    is_asking = false;
    return good;
}

static bool wait_for_epoch(unsigned old, uint64_t until)
{
    for (size_t i = 0; i < SHARDS; i++) {
        while (atomic_load(&shards[i].inside[old & 1]) != 0) {
            if (lens_now() > until) {
                return false;
            }
            nanosleep(&(struct timespec){.tv_nsec = LENS_MS}, NULL);
        }
    }
    return true;
}

// Twice: who read the epoch just before it turned may count itself in the old one just after it
// was seen empty.
bool lens_wait_for_listeners(void)
{
    ASSERT_OWN_THREAD();
    assert(!is_listening); // it would wait for itself
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    uint64_t until = lens_now() + 2 * LENS_SECOND;
    pthread_mutex_lock(&one);
    bool good = wait_for_epoch(atomic_fetch_add(&epoch, 1), until)
                && wait_for_epoch(atomic_fetch_add(&epoch, 1), until);
    pthread_mutex_unlock(&one);
    return good;
}
