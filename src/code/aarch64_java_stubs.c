// SPDX-License-Identifier: Apache-2.0
// There is no assembler for this processor. See java_stubs.h.
#include "code/java_stubs.h"

const CodeBlob *java_stub_make(JavaStubKind kind, const JavaStubTargets *targets)
{
    (void)kind, (void)targets;
    return NULL;
}

const CodeBlob *java_enter_make(const char *shape, const JavaStubTargets *targets)
{
    (void)shape, (void)targets;
    return NULL;
}

const CodeBlob *java_enter_loop_make(char result)
{
    (void)result;
    return NULL;
}

const CodeBlob *java_interpret_make(const char *shape, const JavaStubTargets *targets)
{
    (void)shape, (void)targets;
    return NULL;
}

const CodeBlob *java_link_make(const char *shape, JavaLinkKind kind, const JavaLinks *links,
                               const void *interpret, const JavaStubTargets *targets)
{
    (void)shape, (void)kind, (void)links, (void)interpret, (void)targets;
    return NULL;
}

const CodeBlob *java_native_make(const char *shape, const JavaNatives *natives,
                                 const void *interpret, const JavaStubTargets *targets)
{
    (void)shape, (void)natives, (void)interpret, (void)targets;
    return NULL;
}

const CodeBlob *java_runtime_make(JavaRuntime *fn, bool keeps_floats,
                                  const JavaStubTargets *targets)
{
    (void)fn, (void)keeps_floats, (void)targets;
    return NULL;
}
