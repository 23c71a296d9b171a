// SPDX-License-Identifier: Apache-2.0
// Thread groups (JVM TI, Thread Group).
#include "class/vm_classes.h"
#include "java/java_thread.h"
#include "jvmti/generated/decl.h"
#include "thread/monitor.h"

jvmtiError ti_GetTopThreadGroups(Thread *self, TiEnv *env, jint *group_count_ptr,
                                 jthreadGroup **groups_ptr)
{
    (void)env;
    return ti_give_handles(self, &system_thread_group, 1, group_count_ptr, groups_ptr);
}

jvmtiError ti_GetThreadGroupInfo(Thread *self, TiEnv *env, jthreadGroup group,
                                 jvmtiThreadGroupInfo *info_ptr)
{
    (void)env;
    Object *o = deref(group);
    Object *name = object_get_ref(o, OFF(ThreadGroup, name));
    jvmtiError error = JVMTI_ERROR_NONE;
    info_ptr->name = NULL;
    if (name && !(info_ptr->name = ti_string_copy(name)))
        error = JVMTI_ERROR_OUT_OF_MEMORY;
    info_ptr->parent = handle_new(self, object_get_ref(o, OFF(ThreadGroup, parent)));
    info_ptr->max_priority = object_get_int(o, OFF(ThreadGroup, maxPriority));
    info_ptr->is_daemon = object_get_boolean(o, OFF(ThreadGroup, daemon));
    return error;
}

// The first `count` elements of an array field that are not NULL and, if they are threads, alive.
static void collect_children(Thread *self, Object *array, int32_t count, bool threads,
                             TiHandles *out)
{
    for (int32_t i = 0; array && i < count && i < array_length(array); i++) {
        Object *child = array_get_ref(array, i);
        if (child && (!threads || thread_of_java(child)))
            vec_push(out, handle_new(self, child));
    }
}

jvmtiError ti_GetThreadGroupChildren(Thread *self, TiEnv *env, jthreadGroup group,
                                     jint *thread_count_ptr, jthread **threads_ptr,
                                     jint *group_count_ptr, jthreadGroup **groups_ptr)
{
    (void)env;
    TiHandles threads = {0}, groups = {0};
    monitor_enter(self, group);
    Object *o = deref(group);
    collect_children(self, object_get_ref(o, OFF(ThreadGroup, threads)),
                     object_get_int(o, OFF(ThreadGroup, nthreads)), true, &threads);
    collect_children(self, object_get_ref(o, OFF(ThreadGroup, groups)),
                     object_get_int(o, OFF(ThreadGroup, ngroups)), false, &groups);
    monitor_exit(self, group);
    jvmtiError error = ti_give_list(&threads, thread_count_ptr, threads_ptr);
    if (error == JVMTI_ERROR_NONE)
        return ti_give_list(&groups, group_count_ptr, groups_ptr);
    vec_free(&groups);
    return error;
}
