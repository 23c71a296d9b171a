// SPDX-License-Identifier: Apache-2.0
// The words of all sources of options, before anything is made of them: the environment, what
// JNI_CreateJavaVM was given, options files.
#ifndef OPTIONS_OPTION_WORDS_H
#define OPTIONS_OPTION_WORDS_H

#include <jni.h>

#include "base/vec.h"

typedef struct OptionWord {
    char *text;
    const void *extra;   // JavaVMOption.extraInfo
    bool is_environment; // of the environment, or of a file that it names
    bool is_argument;    // one of JNI_CreateJavaVM itself, not of a file or the environment
} OptionWord;
typedef VEC(OptionWord) OptionWords;

// All words in the order in which they count: JAVA_TOOL_OPTIONS, the arguments, _JAVA_OPTIONS. The
// words of a file (-XX:VMOptionsFile) stand in its place. False after a message: a file that can't
// be read, a second one of a source, one inside another, an unmatched quote. What `words` holds
// is to be freed in either case. When the VM starts; one thread.
NODISCARD bool option_words_collect(const JavaVMInitArgs *args, OptionWords *words);
void option_words_free(OptionWords *words);
// A file's whole text, to be freed; NULL after a message: `complaint` has a %s for the path.
NODISCARD char *option_file_read(const char *path, const char *complaint);

#endif
