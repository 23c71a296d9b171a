// SPDX-License-Identifier: Apache-2.0
// INSTRUCTION_START: prints what branches of one method are about to do.
#include "pi_common.h"

static jmethodID method;

static void notify(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_CLASS_LOAD) {
        for (jint i = 0; i < e->u.class_load.num_methods; i++)
            if (strcmp(e->u.class_load.methods[i].method_name, "branches") == 0)
                method = e->u.class_load.methods[i].method_id;
        return;
    }
    if (!method || e->u.instruction.method_id != method)
        return;
    printf("%d:", (int)e->u.instruction.offset);
    switch (e->u.instruction.offset) {
    case 3: printf(" if %d", e->u.instruction.u.if_info.is_true); break;
    case 9:
        printf(" table %d %d %d", (int)e->u.instruction.u.tableswitch_info.key,
               (int)e->u.instruction.u.tableswitch_info.low,
               (int)e->u.instruction.u.tableswitch_info.hi);
        break;
    case 47:
        printf(" lookup %d of %d", (int)e->u.instruction.u.lookupswitch_info.chosen_pair_index,
               (int)e->u.instruction.u.lookupswitch_info.pairs_total);
        break;
    }
    printf("\n");
    fflush(stdout);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    pi_enable(JVMPI_EVENT_CLASS_LOAD);
    pi_enable(JVMPI_EVENT_INSTRUCTION_START);
    return JNI_OK;
}
