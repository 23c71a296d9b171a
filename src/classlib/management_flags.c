// SPDX-License-Identifier: Apache-2.0
// The management interface's part for -XX flags: none is shown yet.
#include "classlib/management.h"

static jobjectArray JNICALL GetVMGlobalNames(JNIEnv *env)
{
    IN_VM(env);
    Class *c = class_array_of(self, CLS(String));
    return c ? array_new(self, c, 0) : NULL;
}

static jint JNICALL GetVMGlobals(JNIEnv *env, jobjectArray names, JmmVmGlobal *globals,
                                 jint count)
{
    (void)env, (void)names;
    for (jint i = 0; i < count; i++)
        globals[i].name = NULL;
    return 0;
}

static void JNICALL SetVMGlobal(JNIEnv *env, jstring name, jvalue value)
{
    (void)value;
    IN_VM(env);
    char *text = string_to_utf8(deref(name));
    throw_new(self, "java/lang/IllegalArgumentException", "Flag %s does not exist.", text);
    vm_free(text);
}

void management_fill_flags(JmmInterface *t)
{
    t->GetVMGlobalNames = GetVMGlobalNames;
    t->GetVMGlobals = GetVMGlobals;
    t->SetVMGlobal = SetVMGlobal;
}
