// SPDX-License-Identifier: Apache-2.0
// COMPILED_METHOD_LOAD of PiCompiled.hot: its code and the lines of it.
#include "pi_common.h"

static jmethodID hot;
static int loads, lines, first_line, last_line, wrong;

static void notify(JVMPI_Event *e)
{
    if (e->event_type != JVMPI_EVENT_COMPILED_METHOD_LOAD
        || e->u.compiled_method_load.method_id != hot)
        return;
    const JVMPI_Lineno *table = e->u.compiled_method_load.lineno_table;
    lines = (int)e->u.compiled_method_load.lineno_table_size;
    wrong += !e->u.compiled_method_load.code_addr || e->u.compiled_method_load.code_size <= 0;
    for (int i = 0; i < lines; i++) {
        wrong += table[i].offset < 0 || table[i].offset > e->u.compiled_method_load.code_size;
        first_line = i == 0 || table[i].lineno < first_line ? (int)table[i].lineno : first_line;
        last_line = i == 0 || table[i].lineno > last_line ? (int)table[i].lineno : last_line;
    }
    __atomic_add_fetch(&loads, 1, __ATOMIC_SEQ_CST);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    pi_start(vm, JVMPI_VERSION_1, notify);
    return JNI_VERSION_1_8;
}

PI_NATIVE(PiCompiled, void, listen)
{
    hot = (*env)->GetStaticMethodID(env, cls, "hot", "(I)I");
    pi_enable(JVMPI_EVENT_COMPILED_METHOD_LOAD);
    pi_enable(JVMPI_EVENT_COMPILED_METHOD_UNLOAD);
}

PI_NATIVE(PiCompiled, void, show, jint from, jint to)
{
    check("145 sent", wait_until(&loads, 1));
    check("145 code", wrong == 0);
    check("145 lines", lines >= 2 && first_line >= from && last_line <= to);
    check("145 cannot be requested",
          pi->RequestEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL) == JVMPI_NOT_AVAILABLE);
}
