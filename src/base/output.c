// SPDX-License-Identifier: Apache-2.0
// See output.h.
#include "base/output.h"

const char vm_name[] = "Pellucid 64-Bit Server VM";
static FILE *reports, *complaints; // NULL: the usual

FILE *vm_stdout(void)
{
    return reports ? reports : stdout;
}

FILE *vm_stderr(void)
{
    return complaints ? complaints : stderr;
}

void vm_output_redirect(bool silent, bool to_stderr, bool to_stdout)
{
    static FILE *nowhere;
    if (silent && !nowhere)
        nowhere = fopen("/dev/null", "we");
    reports = silent && nowhere ? nowhere : to_stderr ? stderr : NULL;
    complaints = to_stdout && !to_stderr ? stdout : NULL;
}
