#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames behind one door: who is not of the layers that make frames sees them through a FrameCursor alone.

src/frame/frame_cursor.h has to include the layout, so that the compiler cannot keep it from others: this check does.
"""
import re

from findings import ROOT, build_tree, finish

INSIDE = ("frame", "code", "thread", "interp", "jit")
FORBIDDEN = [(re.compile(pattern), what) for pattern, what in (
    (r"(?<![\w.])(?:struct\s+)?Frame\s*\*", "a pointer to a Frame"),
    (r"\bframe_(?:first|older|operands|with_id|bci|block_monitors)\b", "a function of frame.h"),
    (r"\bFRAME_(?:NATIVE|ENTRY|NOTIFY_POP|LOCKED|EVENT|POP|RETURN|LEAVE|UNLOCKED|EXIT_POSTED|LINKED|COMPILED|BLOCK_MONITOR|MONITORS|ON_LEAVE)\b",
     "a flag of a Frame"),
    (r"(?<=->)frame\s*(?:->|\[)|\b(?:self|t|thread)->frame\b", "Thread.frame"),
    (r"\bcursor\w*(?:\.|->)(?:frame|epoch|thread|compiled)\b", "a private field of a FrameCursor"),
    (r'#\s*include\s*"frame/frame\.h"', "the layout of frames (frame/frame.h)"),
)]
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
EVENT = re.compile(r"\bEVENT_FRAME_POP\b|\bEvent_FRAME_POP\b|\(FRAME_POP\)|\(self, FRAME_POP\b")


def without_comments(text):
    """The code alone, line by line: comments and strings become blanks, but for the names that are included."""
    def blank(found):
        return found.group(0) if "#include" in text[text.rfind("\n", 0, found.start()) + 1:found.start()] \
            else re.sub(r"[^\n]", " ", found.group(0))
    return COMMENT.sub(blank, text)


def findings_in(path):
    text = EVENT.sub("", without_comments(path.read_text(encoding="utf-8")))
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: {what}: use frame/frame_cursor.h"


def main():
    build_tree(__doc__.splitlines()[0])
    files = [path for path in sorted((ROOT / "src").rglob("*.[ch]"))
             if path.relative_to(ROOT / "src").parts[0] not in INSIDE]
    findings = [finding for path in files for finding in findings_in(path)]
    finish(findings, f"frames: {len(files)} files outside {', '.join(INSIDE)}")


main()
