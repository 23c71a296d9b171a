#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the entries of JVM TI from spec/jvmti_functions.def, whose head describes its format.

usage: gen_jvmti.py spec/jvmti_functions.def src/jvmti/generated/entries.c src/jvmti/generated/decl.h src/jvmti/generated/checked.c
entries.c has an entry for every function and the function table; decl.h the prototypes of the bodies; checked.c the table of -Xcheck:jvmti.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

PHASES = {"onload": "ONLOAD", "primordial": "PRIMORDIAL", "start": "START", "live": "LIVE"}
# check -> (type of the body's parameter or None to keep the argument's, lines of C; {n} is the argument)
SIMPLE = {
    "any": (None, ""),
    "nonnull": (None, "if (!{n})\n        FAIL({n}, NULL_POINTER);"),
    "not_negative": (None, "if ({n} < 0)\n        FAIL({n}, ILLEGAL_ARGUMENT);"),
    "thread": ("Thread *", "CHECK({n}, ti_check_thread(&call, {n}, true, &{n}_));"),
    "thread!": ("Thread *", "CHECK({n}, ti_check_thread(&call, {n}, false, &{n}_));"),
    "thread_object": ("jthread ", "CHECK({n}, ti_check_thread_object(&call, {n}, true, &{n}_));"),
    "thread_object!": ("jthread ", "CHECK({n}, ti_check_thread_object(&call, {n}, false, &{n}_));"),
    "group": (None, "CHECK({n}, ti_check_group({n}));"),
    "class": ("Class *", "CHECK({n}, ti_check_class({n}, &{n}_));"),
    "class_or_null": ("Class *", "if ({n})\n        CHECK({n}, ti_check_class({n}, &{n}_));"),
    "service": (None, "CHECK({n}, ti_check_service({n}));"),
    "method": ("Method *", "CHECK({n}, ti_check_method({n}, &{n}_));"),
    "bytecode_method": ("Method *", "CHECK({n}, ti_check_bytecode_method({n}, &{n}_));"),
    "field": ("Field *", "CHECK({n}, ti_check_field({before}_, {n}, &{n}_));"),
    "object": (None, "CHECK({n}, ti_check_object({n}));"),
    "monitor": ("RawMonitor *", "CHECK({n}, ti_check_monitor({n}, &{n}_));"),
    "module": (None, "CHECK({n}, ti_check_module({n}));"),
}


@dataclass
class Parameter:
    type: str
    name: str
    check: str
    late: bool  # checked after those that are not

    def declared(self):
        return f"{self.type}{self.name}"

    def converted(self):
        return SIMPLE[self.check][0]

    def body_declared(self):
        return f"{self.converted() or self.type}{self.name}"

    def passed(self):
        return f"{self.name}_" if self.converted() else self.name


@dataclass
class Function:
    number: int
    name: str
    since: str
    phases: list
    capability: str
    state: str
    implemented: bool
    parameters: list = field(default_factory=list)
    variadic: bool = False


def parse(text):
    functions = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            n, name, since, phases, capability, state, implemented = line.split()
            functions.append(Function(int(n), name, since, phases.split(","), capability, state, implemented == "yes"))
            continue
        if line.strip() == "...":
            functions[-1].variadic = True
            continue
        match = re.fullmatch(r"    (.*?)(\w+) : ([a-z_!]+)( late)?", line)
        if not match or match[3] not in SIMPLE:
            sys.exit(f"line {number}: not a parameter: {line}")
        functions[-1].parameters.append(Parameter(match[1], match[2], match[3], bool(match[4])))
    return functions


def phase_mask(phases):
    if phases == ["any"]:
        return "TI_PHASES_ANY"
    return " | ".join(f"TI_PHASE_{PHASES[p]}" for p in phases)


def prototype(f):
    parameters = ["Thread *self", "TiEnv *env"] + [p.body_declared() for p in f.parameters]
    return f"jvmtiError ti_{f.name}({', '.join(parameters)});"


def check_lines(f):
    first, late, before = [], [], ""
    for p in f.parameters:
        code = SIMPLE[p.check][1]
        if code:
            (late if p.late else first).append("    " + code.format(n=p.name, before=before))
        before = p.name
    return first + late


def entry(f):
    parameters = ["jvmtiEnv *jvmti"] + [p.declared() for p in f.parameters] + (["..."] if f.variadic else [])
    capability = f"TI_CAP_{f.capability}" if f.capability != "-" else "TI_CAP_NONE"
    out = [f"static jvmtiError JNICALL entry_{f.name}({', '.join(parameters)})", "{",
           f"    static const TiFunction function = {{\"{f.name}\", {phase_mask(f.phases)}, {capability}}};",
           "    TiCall call;",
           f"    jvmtiError error = ti_begin_{f.state}(&call, jvmti, &function);",
           "    if (error != JVMTI_ERROR_NONE)",
           "        return error;"]
    for p in f.parameters:
        if p.converted():
            out.append(f"    {p.converted()}{p.name}_ = NULL;")
    checks = check_lines(f)
    out += checks
    if f.implemented:
        out.append(f"    error = ti_{f.name}({', '.join(['call.self', 'call.env'] + [p.passed() for p in f.parameters])});")
    else:
        used = {p.name for p in f.parameters if p.check != "any"}
        out += [f"    (void){p.name};" for p in f.parameters if p.name not in used]
        out.append("    error = JVMTI_ERROR_NOT_AVAILABLE;")
    if checks:
        out.append("done:")
    out += [f"    ti_end_{f.state}(&call, error);", "    return error;", "}", ""]
    return out


def entries(functions):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           "// Generated by tools/gen_jvmti.py from spec/jvmti_functions.def: do not edit. The checked entries and the function table.",
           '#include "jvmti/generated/decl.h"', '#include "jvmti/env/ti_entry.h"', "",
           "#define FAIL(parameter, e)       \\",
           "    do {                         \\",
           "        call.argument = #parameter; \\",
           "        error = JVMTI_ERROR_##e; \\",
           "        goto done;               \\",
           "    } while (0)",
           "#define CHECK(parameter, x)          \\",
           "    do {                             \\",
           "        error = (x);                 \\",
           "        if (error != JVMTI_ERROR_NONE) { \\",
           "            call.argument = #parameter; \\",
           "            goto done;               \\",
           "        }                            \\",
           "    } while (0)", ""]
    for f in functions:
        out += entry(f)
    out.append("struct jvmtiInterface_1_ ti_function_table = {")
    out += [f"    .{f.name} = entry_{f.name}," for f in functions]
    out += ["};", ""]
    out += [f"_Static_assert(offsetof(struct jvmtiInterface_1_, {f.name}) == {f.number - 1} * sizeof(void *), \"number\");"
            for f in functions]
    return "\n".join(out) + "\n"


def declarations(functions):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           "// Generated by tools/gen_jvmti.py from spec/jvmti_functions.def: do not edit. The bodies of the functions: each in a file by",
           "// chapter, ti_*.c; what is checked before they run stands in the table.",
           "#ifndef JVMTI_GENERATED_DECL_H", "#define JVMTI_GENERATED_DECL_H", "",
           '#include "jvmti/env/ti.h"', '#include "thread/raw_monitor.h"', ""]
    out += [prototype(f) for f in functions if f.implemented]
    return "\n".join(out + ["", "#endif"]) + "\n"


# What the checking mode does itself.
CHECKED_BODIES = {"SetEventCallbacks", "Deallocate"}
# Type of a reference -> the error when it is dead.
REFERENCES = {"jthread": "INVALID_THREAD", "jthreadGroup": "INVALID_THREAD_GROUP", "jclass": "INVALID_CLASS", "jobject": "INVALID_OBJECT"}
IDS = {"jmethodID", "jfieldID", "jrawMonitorID"}


def checked_lines(f):
    """The fields of the CheckedCall, and the checks of references."""
    fields, checks, count = [f'.name = "{f.name}"', ".env = env"], [], ""
    for p in f.parameters:
        kind = p.type.strip()
        element = kind.removeprefix("const ").removesuffix(" *")
        if kind in IDS:
            fields.append(f".id = {p.name}")
        elif kind == "jvmtiEvent":
            fields.append(f".event = {p.name}")
        elif "Callback" in kind and f.name.startswith(("Iterate", "Follow")) and ".iterates_heap = true" not in fields:
            fields.append(".iterates_heap = true")
        if kind in REFERENCES:
            checks.append(f'checked_reference(&c, "{p.name}", {p.name}, JVMTI_ERROR_{REFERENCES[kind]})')
        elif kind.startswith("const ") and element in REFERENCES:
            checks.append(f'checked_references(&c, "{p.name}", {count}, {p.name}, JVMTI_ERROR_{REFERENCES[element]})')
        count = p.name
    return fields, checks


def checked_entry(f):
    parameters = ["jvmtiEnv *env"] + [p.declared() for p in f.parameters] + (["..."] if f.variadic else [])
    fields, checks = checked_lines(f)
    body, first = ("checked_", "&c") if f.name in CHECKED_BODIES else ("ti_function_table.", "env")
    arguments = ", ".join([first] + [p.name for p in f.parameters])
    out = [f"static jvmtiError JNICALL checked_entry_{f.name}({', '.join(parameters)})", "{",
           f"    CheckedCall c = {{{', '.join(fields)}}};",
           "    jvmtiError error = checked_begin(&c);"]
    for check in checks + [f"{body}{f.name}({arguments})"]:
        out += ["    if (error == JVMTI_ERROR_NONE)", f"        error = {check};"]
    return out + ["    return checked_end(&c, error);", "}", ""]


def checked(functions):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           "// Generated by tools/gen_jvmti.py from spec/jvmti_functions.def: do not edit. The function table of -Xcheck:jvmti.",
           '#include "jvmti/check/ti_check.h"', ""]
    for f in functions:
        out += checked_entry(f)
    out.append("struct jvmtiInterface_1_ ti_checked_table = {")
    return "\n".join(out + [f"    .{f.name} = checked_entry_{f.name}," for f in functions] + ["};"]) + "\n"


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    functions = parse(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(entries(functions), encoding="utf-8")
    Path(sys.argv[3]).write_text(declarations(functions), encoding="utf-8")
    Path(sys.argv[4]).write_text(checked(functions), encoding="utf-8")


if __name__ == "__main__":
    main()
