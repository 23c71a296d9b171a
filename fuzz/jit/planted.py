#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fuzzer finds miscompilations: some are planted in copies of the compiler's files, one at a time, and linked with the rest of the
stress build; random programs in the evaluator must show those of graphs, compiled ones those of machine code.

    planted.py [--type stress] [--seconds 60] [part of a name...]
    planted.py --trace [part of a name...]

With --trace the first difference of two traces of Traced.java (docs/TRACE.md) must show it.

The test suite asks for some that show within a few programs:
# @args --seconds 120 swapped stored.since across.a.store outlive first.return at.a.merge its.first.fields
"""
import argparse
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import modes

HERE, ROOT = Path(__file__).resolve().parent, modes.ROOT
sys.path.insert(0, str(ROOT / "tools"))
import jit_compare  # noqa: E402
# name, file (of src/jit where it says no folder), what stands in it, what is planted in its place
GRAPHS = [
    ("a shift by 32 folded to 32", "fold.c", "{IR_ShlI, 0, X}", "{IR_ShlI, 32, Y}"),
    ("x | 0 folded to 0", "fold.c", "{IR_OrI, 0, X}", "{IR_OrI, 0, Y}"),
    ("NaN equals itself", "fold.c", "    case IR_CmpL: return", "    case IR_CmpDl:\n    case IR_CmpDg:\n    case IR_CmpL: return"),
    ("a state keeps a local that was stored since", "build_state.c", "    b->words[slot] = value;\n    b->locals_at = 0;",
     "    b->words[slot] = value;"),
    ("a state's locals are swapped", "build_state.c", "        b->locals_at = add_words(b, b->words, build_locals(b));",
     "        b->locals_at = add_words(b, b->words, build_locals(b));\n"
     "    NodeId *w = b->g->words.at + b->locals_at;\n"
     "    if (build_locals(b) > 3 && w[2] && w[3] && ir_node(b->g, w[2])->type == ir_node(b->g, w[3])->type) {\n"
     "        NodeId n = w[2];\n        w[2] = w[3];\n        w[3] = n;\n    }"),
    ("a load kept across a store", "gvn.c", "    forget(v, load, n->aux);\n", ""),
    ("a load kept around a loop", "gvn.c", "bool changed = block->is_header &&", "bool changed = false && block->is_header &&"),
    ("a phi of two values dropped", "dce.c", "value == phi || value == only", "value == phi || value == only || (only && i == 2)"),
    ("a loop forgets what iinc stores", "build_flow.c", "if (!(in.info->local.use & LOCAL_WRITE))",
     "if (!(in.info->local.use & LOCAL_WRITE) || in.op == BC_iinc)"),
    ("a loop forgets that it stores local 1", "build_flow.c", "h->stored[w] |= c->stored[w];", "h->stored[w] |= w ? 0 : c->stored[w] & ~2ull;"),
    ("iinc by a negative value", "build_step.c", "build_int(b, b->in.value)));", "build_int(b, b->in.value & 0xFF)));"),
    ("a comparison of constants turned round", "build_step.c", "ir_condition_holds(condition, (int32_t)ir_value(b->g, nx),\n                                  (int32_t)ir_value(b->g, ny))",
     "ir_condition_holds(condition, (int32_t)ir_value(b->g, ny),\n                                  (int32_t)ir_value(b->g, nx))"),
    ("a cast that only met null is taken for done", "build_invoke.c", "CONDITION_EQ, 0);", "CONDITION_NE, 0);"),
]
CODE = [
    ("a register is taken in a hole that ends too early", "regalloc.c", "uint32_t at = meet(s->m, other, i);", "uint32_t at = NEVER;"),
    ("a register is thought to outlive a call", "regalloc.c", "uint32_t all = all_clobbered_at(s->m, i);", "uint32_t all = NEVER;"),
    ("a value is thought to die in a loop", "live.c", "changed |= pass_on(&l, m->g->order.at[i]);", "(void)pass_on(&l, m->g->order.at[i]);"),
    ("two values share a slot", "regalloc.c", "free_at.at[slot] = spilled.at[k].to;", "free_at.at[slot] = (spilled.at[k].from + spilled.at[k].to) / 2;"),
    ("an inlined method gives what its first return does", "build_inline.c", "in[i] = callee->returned.at[i].value;", "in[i] = callee->returned.at[0].value;"),
]
OBJECTS = [
    ("a field is at a merge what one path stored", "escape.c", "if (only && value && value != only)", "if (only && value && value != only && of)"),
    ("a loop's store to a field is forgotten", "escape.c", "e->stored[h] |= 1ull << variable;", "e->stored[h] |= variable ? 1ull << variable : 0;"),
    ("an object is made without its second field", "interp/compiled_decode.c", "field_store(o, u->fields[i],", "if (i != 1) field_store(o, u->fields[i],"),
]
LATE = [ # what code that has run before makes late
    ("an object made late lacks its first fields", "escape.c", "uint32_t v = c->first; v < c->first + c->count; v++) {", "uint32_t v = c->first + c->count / 2; v < c->first + c->count; v++) {"),
    ("an object made late is made on one of two paths", "escape_places.c", "made &= p->known[b] & p->live[b];", "made &= p->known[b] & p->live[b] & (block->is_header ? ~0u : 0);"),
    ("an object made late is made before it is changed", "escape.c", "e->now[variable] = narrowed(e, b, variable, shown_object(e->g, n->in[1]));",
     "e->now[variable] = e->partial && variable == 1 ? e->now[variable] : narrowed(e, b, variable, shown_object(e->g, n->in[1]));"),
]
HIERARCHY = [
    ("a second subclass that inherits is not told", "class/assumption.c", "(c->super->access & ACC_ABSTRACT) || ", ""),
    ("a subclass that overrides is not told", "class/assumption.c", "c->vtable[slot] != c->super->vtable[slot]", "false"),
]
# where each list must show. Only what is in the programs is compiled, as a VM that miscompiles its library would not start
PLANTED = [(row, ["--modes", "evaluate,evaluate-leave"]) for row in GRAPHS] + [
    (row, ["--modes", "jit-all,jit-deopt-stress,jit-inline-all", "--flags=-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,P*::*"])
    for row in CODE] + [
    (row, ["--modes", "jit-all,jit-deopt-stress,jit-hook-stress,jit-inline-all", "--flags=-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,P*::*"])
    for row in OBJECTS] + [
    (row, ["--modes", "jit-profiled,jit-inline,jit-hot", "--flags=-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,P*::*"])
    for row in LATE] + [
    (row, ["--modes", "jit-profiled,jit-inline", "--flags=-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,P*::*"])
    for row in HIERARCHY]
FEW_COLLECTIONS = {"PELLUCID_GC_STRESS": "100000"}  # where a mode does not say otherwise


def commands(tree):
    done = subprocess.run(["ninja", "-C", tree, "-t", "commands", "libjvm.so"], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def make_image(tree, lines, row, scratch):
    """A JDK image whose VM has one miscompilation."""
    _, name, old, new = row
    source = ROOT / "src" / (name if "/" in name else f"jit/{name}")
    text = source.read_text(encoding="utf-8")
    if text.count(old) != 1:
        sys.exit(f"{name} has {text.count(old)} times\n{old}")
    wrong, made, vm = scratch / source.name, scratch / "wrong.o", scratch / "libjvm.so"
    wrong.write_text(text.replace(old, new), encoding="utf-8")
    compiled = f"{source.relative_to(ROOT)}.o"
    line = next(line for line in lines if f"-c {source}" in line)
    line = re.sub(r"-o \S+ -c \S+", f"-o {made} -c {wrong}", re.sub(r"-MD -MT \S+ -MF \S+|-Werror", "", line))
    link = re.sub(rf"\S*/{re.escape(compiled)}", str(made), lines[-1]).replace("-o libjvm.so", f"-o {vm}")
    done = subprocess.run(["bash", "-c", f"{line} && {link}"], cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name} does not compile; is the build of this commit?\n{done.stderr}")
    home = modes.runner.PEER_HOME
    subprocess.run([sys.executable, ROOT / "tools/make_jdk_image.py", "--jdk", home, "--vm", vm, "--out", scratch / "jdk"], check=True)
    return scratch / "jdk"


def fuzz(image, args, shown_by):
    """How many programs it took, and whether it found something."""
    argv = [HERE / "fuzz.py", "--image", image, *shown_by, "--first", "1", "--seconds", str(args.seconds), "--failures", "1",
            "--batch", str(args.batch)]
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=False, env=os.environ | FEW_COLLECTIONS,
                          cwd=image.parent)  # crash reports go with it
    counts = re.search(r"(\d+) programs, .* (\d+) failures", done.stdout)
    if not counts:
        sys.exit(f"{shlex.join(map(str, argv))}\n{done.stdout}{done.stderr}")
    return int(counts.group(1)), int(counts.group(2)) > 0


def trace(image, folder):
    """The first difference that a trace of the wrong VM has, as tools/jit_compare.py shows it; "" if there is none."""
    subprocess.run([Path(modes.runner.PEER_HOME) / "bin/javac", "-g", "-d", folder, HERE / "Traced.java"], check=True)
    traces = []
    for name, home, flags in (("int", image, ["-Xint"]), ("jit", image, ["-XX:+JitAll", "-XX:CompileCommand=compileonly,Traced::*"])):
        traces.append(folder / f"{name}.trace")
        subprocess.run([home / "bin/java", "-XX:+UnlockDiagnosticVMOptions", f"-XX:JitTrace={traces[-1]}", *flags, "-cp", folder, "Traced"], check=False,
                       stdout=subprocess.DEVNULL, cwd=folder)
    out = io.StringIO()
    return "" if jit_compare.compare(*traces, out=out) else out.getvalue()


def show_traces(tree, lines, rows):
    missed = 0
    for row in rows:
        with tempfile.TemporaryDirectory(prefix="planted.") as folder:
            found = trace(make_image(tree, lines, row, Path(folder)), Path(folder))
        print(f"{row[0]}: {found or 'not found'}", flush=True)
        missed += not found
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="those in whose name one of these patterns is found")
    parser.add_argument("--type", default="stress", help="the build that lends the other files")
    parser.add_argument("--seconds", type=float, default=60, help="for each, at most")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--trace", action="store_true")
    args = parser.parse_args()
    tree = modes.runner.tree_of(args.type)
    lines = commands(tree)
    rows = [row for row in PLANTED if not args.names or any(re.search(name, row[0][0]) for name in args.names)]
    if args.trace:
        return show_traces(tree, lines, [row for row, _ in rows])
    missed = 0
    for row, shown_by in rows:
        with tempfile.TemporaryDirectory(prefix="planted.") as folder:
            image = make_image(tree, lines, row, Path(folder))
            start = time.monotonic()
            programs, found = fuzz(image, args, shown_by)
            seconds = time.monotonic() - start
        print(f"{row[0]}: {'found' if found else 'not found'} in {programs} programs, {seconds:.0f} s", flush=True)
        missed += not found
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
