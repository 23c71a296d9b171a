/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Java Virtual Machine Profiler Interface (JVMPI), version 1.2: an interface between a VM and
 * one or more profiling agents, written from its specification (editions of 1998 and of SDK 1.3)
 * and binary compatible with the header of the JDKs 1.2 to 1.4. C89 and C++.
 *
 * An agent is a library named by -Xrun<name>[:<options>]. The VM calls its JVM_OnLoad, which asks
 * GetEnv of the JavaVM for JVMPI_VERSION_1, _1_1 or _1_2, sets NotifyEvent in the interface it
 * gets, and enables events. What an edition leaves open is decided in docs/JVMPI.md.
 */
#ifndef _JAVASOFT_JVMPI_H_
#define _JAVASOFT_JVMPI_H_

#include <jni.h>

/* ---- versions, for GetEnv ---- */
#define JVMPI_VERSION_1   ((jint)0x10000001)
#define JVMPI_VERSION_1_1 ((jint)0x10000002) /* INSTRUCTION_START, conversions of object IDs */
#define JVMPI_VERSION_1_2 ((jint)0x10000003) /* SuspendThreadList, ResumeThreadList */

/* ---- results ---- */
#define JVMPI_SUCCESS       ((jint)0)
#define JVMPI_NOT_AVAILABLE ((jint)1)
#define JVMPI_FAIL          ((jint)-1)

/* ---- event types ---- */
#define JVMPI_EVENT_METHOD_ENTRY                  ((jint)1)
#define JVMPI_EVENT_METHOD_ENTRY2                 ((jint)2)
#define JVMPI_EVENT_METHOD_EXIT                   ((jint)3)
#define JVMPI_EVENT_OBJECT_ALLOC                  ((jint)4)
#define JVMPI_EVENT_OBJECT_FREE                   ((jint)5)
#define JVMPI_EVENT_OBJECT_MOVE                   ((jint)6)
#define JVMPI_EVENT_COMPILED_METHOD_LOAD          ((jint)7)
#define JVMPI_EVENT_COMPILED_METHOD_UNLOAD        ((jint)8)
#define JVMPI_EVENT_INSTRUCTION_START             ((jint)9)
#define JVMPI_EVENT_THREAD_START                  ((jint)33)
#define JVMPI_EVENT_THREAD_END                    ((jint)34)
#define JVMPI_EVENT_CLASS_LOAD_HOOK               ((jint)35)
#define JVMPI_EVENT_HEAP_DUMP                     ((jint)37)
#define JVMPI_EVENT_JNI_GLOBALREF_ALLOC           ((jint)38)
#define JVMPI_EVENT_JNI_GLOBALREF_FREE            ((jint)39)
#define JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC      ((jint)40)
#define JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE       ((jint)41)
#define JVMPI_EVENT_CLASS_LOAD                    ((jint)42)
#define JVMPI_EVENT_CLASS_UNLOAD                  ((jint)43)
#define JVMPI_EVENT_DATA_DUMP_REQUEST             ((jint)44)
#define JVMPI_EVENT_DATA_RESET_REQUEST            ((jint)45)
#define JVMPI_EVENT_JVM_INIT_DONE                 ((jint)46)
#define JVMPI_EVENT_JVM_SHUT_DOWN                 ((jint)47)
#define JVMPI_EVENT_ARENA_NEW                     ((jint)48)
#define JVMPI_EVENT_ARENA_DELETE                  ((jint)49)
#define JVMPI_EVENT_OBJECT_DUMP                   ((jint)50)
#define JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER   ((jint)51)
#define JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED ((jint)52)
#define JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT    ((jint)53)
#define JVMPI_EVENT_MONITOR_CONTENDED_ENTER       ((jint)54)
#define JVMPI_EVENT_MONITOR_CONTENDED_ENTERED     ((jint)55)
#define JVMPI_EVENT_MONITOR_CONTENDED_EXIT        ((jint)56)
#define JVMPI_EVENT_MONITOR_WAIT                  ((jint)57)
#define JVMPI_EVENT_MONITOR_WAITED                ((jint)58)
#define JVMPI_EVENT_MONITOR_DUMP                  ((jint)59)
#define JVMPI_EVENT_GC_START                      ((jint)60)
#define JVMPI_EVENT_GC_FINISH                     ((jint)61)
#define JVMPI_MAX_EVENT_TYPE_VAL                  61

/* Older spellings. */
#define JVMPI_EVENT_LOAD_COMPILED_METHOD   JVMPI_EVENT_COMPILED_METHOD_LOAD
#define JVMPI_EVENT_UNLOAD_COMPILED_METHOD JVMPI_EVENT_COMPILED_METHOD_UNLOAD
#define JVMPI_EVENT_NEW_ARENA              JVMPI_EVENT_ARENA_NEW
#define JVMPI_EVENT_DELETE_ARENA           JVMPI_EVENT_ARENA_DELETE
#define JVMPI_EVENT_DUMP_DATA_REQUEST      JVMPI_EVENT_DATA_DUMP_REQUEST
#define JVMPI_EVENT_RESET_DATA_REQUEST     JVMPI_EVENT_DATA_RESET_REQUEST
#define JVMPI_EVENT_OBJ_ALLOC              JVMPI_EVENT_OBJECT_ALLOC
#define JVMPI_EVENT_OBJ_FREE               JVMPI_EVENT_OBJECT_FREE
#define JVMPI_EVENT_OBJ_MOVE               JVMPI_EVENT_OBJECT_MOVE

/* Set in event_type when the event answers RequestEvent. */
#define JVMPI_REQUESTED_EVENT ((jint)0x10000000)

/* ---- what GetThreadStatus gives: one of three, and two bits ---- */
enum {
    JVMPI_THREAD_RUNNABLE = 1,
    JVMPI_THREAD_MONITOR_WAIT, /* to enter a monitor */
    JVMPI_THREAD_CONDVAR_WAIT  /* to be notified */
};
#define JVMPI_THREAD_SUSPENDED   0x8000
#define JVMPI_THREAD_INTERRUPTED 0x4000

/* ---- priorities of CreateSystemThread ---- */
#define JVMPI_MINIMUM_PRIORITY 1
#define JVMPI_MAXIMUM_PRIORITY 10
#define JVMPI_NORMAL_PRIORITY  5

/* ---- kinds of objects: OBJECT_ALLOC's is_array, types in dumps ---- */
#define JVMPI_NORMAL_OBJECT ((jint)0)
#define JVMPI_CLASS         ((jint)2) /* an array of objects; of a value: a reference */
#define JVMPI_BOOLEAN       ((jint)4) /* these: an array of it; a value of it */
#define JVMPI_CHAR          ((jint)5)
#define JVMPI_FLOAT         ((jint)6)
#define JVMPI_DOUBLE        ((jint)7)
#define JVMPI_BYTE          ((jint)8)
#define JVMPI_SHORT         ((jint)9)
#define JVMPI_INT           ((jint)10)
#define JVMPI_LONG          ((jint)11)

/* ---- dumps: records of one u1 type and a body without padding; u2, u4, u8 are big-endian,
 * pointers and IDs native ---- */
#define JVMPI_MONITOR_JAVA 0x01
#define JVMPI_MONITOR_RAW  0x02

#define JVMPI_GC_ROOT_UNKNOWN      0xff
#define JVMPI_GC_ROOT_JNI_GLOBAL   0x01
#define JVMPI_GC_ROOT_JNI_LOCAL    0x02
#define JVMPI_GC_ROOT_JAVA_FRAME   0x03
#define JVMPI_GC_ROOT_NATIVE_STACK 0x04
#define JVMPI_GC_ROOT_STICKY_CLASS 0x05
#define JVMPI_GC_ROOT_THREAD_BLOCK 0x06
#define JVMPI_GC_ROOT_MONITOR_USED 0x07
#define JVMPI_GC_ROOT_THREAD_OBJ   0x08 /* made by agents from the traces; no VM writes it */

#define JVMPI_GC_CLASS_DUMP      0x20
#define JVMPI_GC_INSTANCE_DUMP   0x21
#define JVMPI_GC_OBJ_ARRAY_DUMP  0x22
#define JVMPI_GC_PRIM_ARRAY_DUMP 0x23

#define JVMPI_DUMP_LEVEL_0 ((jint)0) /* type and ID of each object */
#define JVMPI_DUMP_LEVEL_1 ((jint)1) /* level 2 without primitive values */
#define JVMPI_DUMP_LEVEL_2 ((jint)2) /* roots, objects, their contents */

/* An object, by a number that is valid from the event that defines it (OBJECT_ALLOC, of a class
 * CLASS_LOAD) to the one that undefines it (OBJECT_FREE, OBJECT_MOVE, ARENA_DELETE, CLASS_UNLOAD). */
struct _jobjectID;
typedef struct _jobjectID *jobjectID;

/* A monitor of agents. */
struct _JVMPI_RawMonitor;
typedef struct _JVMPI_RawMonitor *JVMPI_RawMonitor;

typedef struct {
    jint lineno; /* > 0; -1 unknown, -2 compiled code, -3 native method */
    jmethodID method_id;
} JVMPI_CallFrame;

typedef struct {
    JNIEnv *env_id; /* the thread */
    jint num_frames;
    JVMPI_CallFrame *frames; /* the callee first */
} JVMPI_CallTrace;

typedef struct {
    char *method_name;
    char *method_signature;
    jint start_lineno,
        end_lineno; /* -1 when there are none: native, abstract, not compiled in */
    jmethodID method_id;
} JVMPI_Method;

typedef struct {
    char *field_name;
    char *field_signature;
} JVMPI_Field;

typedef struct {
    jint heap_dump_level;
} JVMPI_HeapDumpArg;

typedef struct {
    jint offset; /* from the beginning of the compiled code */
    jint lineno;
} JVMPI_Lineno;

/* An event. It and what it points to belong to the VM and are gone when NotifyEvent returns. */
typedef struct {
    jint event_type; /* JVMPI_EVENT_*, perhaps | JVMPI_REQUESTED_EVENT */
    JNIEnv *env_id;  /* of the thread that NotifyEvent runs on */
    union {
        struct {
            char *class_name;  /* java/lang/String */
            char *source_name; /* NULL: unknown */
            jint num_interfaces;
            jint num_methods;
            JVMPI_Method *methods; /* those the class itself declares, as are the fields */
            jint num_static_fields;
            JVMPI_Field *statics;
            jint num_instance_fields;
            JVMPI_Field *instances;
            jobjectID class_id;
        } class_load;
        struct {
            jobjectID class_id;
        } class_unload;
        struct {
            unsigned char *class_data;
            jint class_data_len;
            unsigned char *new_class_data; /* the agent's: class_data, or memory of malloc_f */
            jint new_class_data_len;
            void *(*malloc_f)(unsigned int size);
        } class_load_hook;
        struct {
            jint arena_id;
            jobjectID class_id; /* of an array of objects: the class of the elements */
            jint is_array;      /* JVMPI_NORMAL_OBJECT, JVMPI_CLASS, JVMPI_BOOLEAN ... */
            jint size;          /* bytes */
            jobjectID obj_id;
        } obj_alloc;
        struct {
            jobjectID obj_id;
        } obj_free;
        struct {
            jint arena_id;
            jobjectID obj_id;
            jint new_arena_id;
            jobjectID new_obj_id;
        } obj_move;
        struct {
            jint arena_id;
            char *arena_name;
        } new_arena;
        struct {
            jint arena_id;
        } delete_arena;
        struct {
            char *thread_name;
            char *group_name;
            char *parent_name; /* of the group's parent */
            jobjectID thread_id;
            JNIEnv *thread_env_id;
        } thread_start;
        struct {
            int dump_level;
            char *begin, *end;
            jint num_traces;
            JVMPI_CallTrace *traces;
        } heap_dump;
        struct {
            jobjectID obj_id;
            jobject ref_id;
        } jni_globalref_alloc; /* of weak ones too */
        struct {
            jobject ref_id;
        } jni_globalref_free;
        struct {
            jmethodID method_id;
        } method;
        struct {
            jmethodID method_id;
            jobjectID obj_id; /* the receiver, NULL in static methods */
        } method_entry2;
        struct {
            jmethodID method_id;
            void *code_addr;
            jint code_size;
            jint lineno_table_size;
            JVMPI_Lineno *lineno_table;
        } compiled_method_load;
        struct {
            jmethodID method_id;
        } compiled_method_unload;
        struct {
            jmethodID method_id;
            jint offset; /* of the bytecode */
            union {
                struct {
                    jboolean is_true;
                } if_info;
                struct {
                    jint key, low, hi;
                } tableswitch_info;
                struct {
                    jint chosen_pair_index; /* pairs_total: the default */
                    jint pairs_total;
                } lookupswitch_info;
            } u;
        } instruction;
        struct {
            char *begin, *end;
            jint num_traces;
            JVMPI_CallTrace *traces;
            jint *threads_status; /* of the thread of each trace, as GetThreadStatus */
        } monitor_dump;
        struct {
            char *name;
            JVMPI_RawMonitor id;
        } raw_monitor;
        struct {
            jobjectID object;
        } monitor;
        struct {
            jobjectID object; /* NULL: Thread.sleep */
            jlong timeout;    /* ms: to wait (0: for ever), or waited */
        } monitor_wait;
        struct {
            jlong used_objects;
            jlong used_object_space;  /* bytes */
            jlong total_object_space; /* bytes */
        } gc_info;
        struct {
            jint data_len;
            char *data;
        } object_dump;
    } u;
} JVMPI_Event;

/* The interface. "GC disabled" before a member: it takes or returns an object ID, which a garbage
 * collection may undefine; call it in a handler that runs with GC disabled, or after DisableGC. */
typedef struct {
    jint version; /* compatible with the one asked for */

    /* Set by the agent: gets all events, on the threads they happen on, several at a time. */
    void (*NotifyEvent)(JVMPI_Event *event);

    /* JVMPI_SUCCESS, JVMPI_FAIL, or JVMPI_NOT_AVAILABLE: this type can only be requested, or there
     * is no such type. arg is NULL. */
    jint (*EnableEvent)(jint event_type, void *arg);
    jint (*DisableEvent)(jint event_type, void *arg);
    /* Sends one event to NotifyEvent before it returns. arg: of CLASS_LOAD, THREAD_START,
     * OBJECT_ALLOC and OBJECT_DUMP the ID of the class, thread object or object (GC disabled); of
     * HEAP_DUMP a JVMPI_HeapDumpArg, NULL: level 2; of MONITOR_DUMP NULL. */
    jint (*RequestEvent)(jint event_type, void *arg);

    /* Up to `depth` frames of trace->env_id, the current or a suspended thread, into
     * trace->frames, which the caller allocated. */
    void (*GetCallTrace)(JVMPI_CallTrace *trace, jint depth);

    void (*ProfilerExit)(jint err_code);

    /* Re-entrant monitors of the agent. A name that begins with '_': no events of it. Create,
     * Enter and Destroy are not for the thread-suspended mode. */
    JVMPI_RawMonitor (*RawMonitorCreate)(char *lock_name);
    void (*RawMonitorEnter)(JVMPI_RawMonitor lock_id);
    void (*RawMonitorExit)(JVMPI_RawMonitor lock_id);
    void (*RawMonitorWait)(JVMPI_RawMonitor lock_id, jlong ms); /* 0: until notified */
    void (*RawMonitorNotifyAll)(JVMPI_RawMonitor lock_id);
    void (*RawMonitorDestroy)(JVMPI_RawMonitor lock_id);

    jlong (*GetCurrentThreadCpuTime)(void); /* ns */
    /* Thread-suspended mode: from SuspendThread until all are resumed; GC disabled all the time. */
    void (*SuspendThread)(JNIEnv *env);
    void (*ResumeThread)(JNIEnv *env);
    jint (*GetThreadStatus)(JNIEnv *env);
    jboolean (*ThreadHasRun)(JNIEnv *env); /* since it was suspended the time before */
    /* A Java daemon thread that runs f; after JVM_INIT_DONE, GC enabled. JNI_OK or JNI_ERR. */
    jint (*CreateSystemThread)(char *name, jint priority, void (*f)(void *));
    /* One pointer a thread and agent, NULL at first. */
    void (*SetThreadLocalStorage)(JNIEnv *env_id, void *ptr);
    void *(*GetThreadLocalStorage)(JNIEnv *env_id);

    void (*DisableGC)(void); /* nests */
    void (*EnableGC)(void);
    void (*RunGC)(void); /* GC enabled */

    jobjectID (*GetThreadObject)(JNIEnv *env);  /* GC disabled */
    jobjectID (*GetMethodClass)(jmethodID mid); /* GC disabled */

    /* Version 1.1. GC disabled. */
    jobject (*jobjectID2jobject)(jobjectID jid);
    jobjectID (*jobject2jobjectID)(jobject jobj);

    /* Version 1.2. results[i]: 0, or something else for a thread that could not. */
    void (*SuspendThreadList)(jint reqCount, JNIEnv **reqList, jint *results);
    void (*ResumeThreadList)(jint reqCount, JNIEnv **reqList, jint *results);
} JVMPI_Interface;

#endif
