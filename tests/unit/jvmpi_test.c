// SPDX-License-Identifier: Apache-2.0
// The layout of include/jvmpi.h on a 64-bit machine: agents built against the JDKs' header rely on
// it. Most of it is held at compile time.
#include <jvmpi.h>
#include <stddef.h>

#include "vmtest.h"

#define SIZE(type, size)          _Static_assert(sizeof(type) == (size), #type)
#define AT(type, member, offset_) _Static_assert(offsetof(type, member) == (offset_), #member)
#define EVENT_AT(member, offset_) AT(JVMPI_Event, u.member, offset_)

SIZE(JVMPI_CallFrame, 16);
SIZE(JVMPI_CallTrace, 24);
SIZE(JVMPI_Field, 16);
SIZE(JVMPI_HeapDumpArg, 4);
SIZE(JVMPI_Lineno, 8);
SIZE(JVMPI_Method, 32);
SIZE(JVMPI_Event, 88);
SIZE(JVMPI_Interface, 240);

AT(JVMPI_CallFrame, method_id, 8);
AT(JVMPI_CallTrace, num_frames, 8);
AT(JVMPI_CallTrace, frames, 16);
AT(JVMPI_Method, start_lineno, 16);
AT(JVMPI_Method, end_lineno, 20);
AT(JVMPI_Method, method_id, 24);
AT(JVMPI_Event, env_id, 8);

EVENT_AT(class_load.class_name, 16);
EVENT_AT(class_load.source_name, 24);
EVENT_AT(class_load.num_interfaces, 32);
EVENT_AT(class_load.num_methods, 36);
EVENT_AT(class_load.methods, 40);
EVENT_AT(class_load.num_static_fields, 48);
EVENT_AT(class_load.statics, 56);
EVENT_AT(class_load.num_instance_fields, 64);
EVENT_AT(class_load.instances, 72);
EVENT_AT(class_load.class_id, 80);
EVENT_AT(class_unload.class_id, 16);
EVENT_AT(class_load_hook.class_data_len, 24);
EVENT_AT(class_load_hook.new_class_data, 32);
EVENT_AT(class_load_hook.new_class_data_len, 40);
EVENT_AT(class_load_hook.malloc_f, 48);
EVENT_AT(obj_alloc.arena_id, 16);
EVENT_AT(obj_alloc.class_id, 24);
EVENT_AT(obj_alloc.is_array, 32);
EVENT_AT(obj_alloc.size, 36);
EVENT_AT(obj_alloc.obj_id, 40);
EVENT_AT(obj_free.obj_id, 16);
EVENT_AT(obj_move.obj_id, 24);
EVENT_AT(obj_move.new_arena_id, 32);
EVENT_AT(obj_move.new_obj_id, 40);
EVENT_AT(new_arena.arena_name, 24);
EVENT_AT(delete_arena.arena_id, 16);
EVENT_AT(thread_start.group_name, 24);
EVENT_AT(thread_start.parent_name, 32);
EVENT_AT(thread_start.thread_id, 40);
EVENT_AT(thread_start.thread_env_id, 48);
EVENT_AT(heap_dump.dump_level, 16);
EVENT_AT(heap_dump.begin, 24);
EVENT_AT(heap_dump.end, 32);
EVENT_AT(heap_dump.num_traces, 40);
EVENT_AT(heap_dump.traces, 48);
EVENT_AT(jni_globalref_alloc.ref_id, 24);
EVENT_AT(jni_globalref_free.ref_id, 16);
EVENT_AT(method.method_id, 16);
EVENT_AT(method_entry2.obj_id, 24);
EVENT_AT(compiled_method_load.code_addr, 24);
EVENT_AT(compiled_method_load.code_size, 32);
EVENT_AT(compiled_method_load.lineno_table_size, 36);
EVENT_AT(compiled_method_load.lineno_table, 40);
EVENT_AT(instruction.offset, 24);
EVENT_AT(instruction.u.if_info.is_true, 28);
EVENT_AT(instruction.u.tableswitch_info.key, 28);
EVENT_AT(instruction.u.tableswitch_info.low, 32);
EVENT_AT(instruction.u.tableswitch_info.hi, 36);
EVENT_AT(instruction.u.lookupswitch_info.chosen_pair_index, 28);
EVENT_AT(instruction.u.lookupswitch_info.pairs_total, 32);
EVENT_AT(monitor_dump.begin, 16);
EVENT_AT(monitor_dump.end, 24);
EVENT_AT(monitor_dump.num_traces, 32);
EVENT_AT(monitor_dump.traces, 40);
EVENT_AT(monitor_dump.threads_status, 48);
EVENT_AT(raw_monitor.id, 24);
EVENT_AT(monitor.object, 16);
EVENT_AT(monitor_wait.timeout, 24);
EVENT_AT(gc_info.used_objects, 16);
EVENT_AT(gc_info.used_object_space, 24);
EVENT_AT(gc_info.total_object_space, 32);
EVENT_AT(object_dump.data, 24);

// The table, in order.
static const size_t slots[] = {
    offsetof(JVMPI_Interface, version),
    offsetof(JVMPI_Interface, NotifyEvent),
    offsetof(JVMPI_Interface, EnableEvent),
    offsetof(JVMPI_Interface, DisableEvent),
    offsetof(JVMPI_Interface, RequestEvent),
    offsetof(JVMPI_Interface, GetCallTrace),
    offsetof(JVMPI_Interface, ProfilerExit),
    offsetof(JVMPI_Interface, RawMonitorCreate),
    offsetof(JVMPI_Interface, RawMonitorEnter),
    offsetof(JVMPI_Interface, RawMonitorExit),
    offsetof(JVMPI_Interface, RawMonitorWait),
    offsetof(JVMPI_Interface, RawMonitorNotifyAll),
    offsetof(JVMPI_Interface, RawMonitorDestroy),
    offsetof(JVMPI_Interface, GetCurrentThreadCpuTime),
    offsetof(JVMPI_Interface, SuspendThread),
    offsetof(JVMPI_Interface, ResumeThread),
    offsetof(JVMPI_Interface, GetThreadStatus),
    offsetof(JVMPI_Interface, ThreadHasRun),
    offsetof(JVMPI_Interface, CreateSystemThread),
    offsetof(JVMPI_Interface, SetThreadLocalStorage),
    offsetof(JVMPI_Interface, GetThreadLocalStorage),
    offsetof(JVMPI_Interface, DisableGC),
    offsetof(JVMPI_Interface, EnableGC),
    offsetof(JVMPI_Interface, RunGC),
    offsetof(JVMPI_Interface, GetThreadObject),
    offsetof(JVMPI_Interface, GetMethodClass),
    offsetof(JVMPI_Interface, jobjectID2jobject),
    offsetof(JVMPI_Interface, jobject2jobjectID),
    offsetof(JVMPI_Interface, SuspendThreadList),
    offsetof(JVMPI_Interface, ResumeThreadList),
};

TEST(table_order)
{
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        EXPECT_INT(i * sizeof(void *), slots[i]);
    EXPECT_INT(30, sizeof slots / sizeof *slots);
}

TEST(numbers)
{
    EXPECT_INT(0x10000003, JVMPI_VERSION_1_2);
    EXPECT_INT(61, JVMPI_EVENT_GC_FINISH);
    EXPECT_INT(9, JVMPI_EVENT_INSTRUCTION_START);
    EXPECT_INT(35, JVMPI_EVENT_CLASS_LOAD_HOOK);
    EXPECT_INT(59, JVMPI_EVENT_MONITOR_DUMP);
    EXPECT_INT(3, JVMPI_THREAD_CONDVAR_WAIT);
}
