// SPDX-License-Identifier: Apache-2.0
// What the options of the compiler come to together; see options.h.
#include "options/flags.h"
#include "options/options.h"

void options_settle_compiler(CompileMode mode)
{
    VmOptions *o = &vm_options;
    bool forbidden = mode == COMPILE_NOTHING || o->stop_at_level == 0
                     || o->threshold_scaling == 0.0 || flags_is("UseCompiler", "false");
    o->use_compiler = (o->jit_compile || o->jit_all) && !forbidden;
    if (o->stop_at_level == 0)
        flags_note("UseCompiler");
    if (mode == COMPILE_ALL)
        o->use_interpreter = o->background_compilation = false;
    if (o->use_compiler) // the name of CompilationMXBean
        options_set_property("sun.management.compiler", "Pellucid 64-Bit Compiler");
    if (o->use_compiler)
        options_set_property("java.vm.info",
                             mode == COMPILE_ALL ? "compiled mode" : "mixed mode");
}
