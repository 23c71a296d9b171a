// SPDX-License-Identifier: Apache-2.0
// What flags.c (the command line), flags_print.c (tables of all flags) and flag_access.c (tools) share:
// the table of known flags and what each has for a value. Before tools see the flags only one thread is
// there; then flag_access.c guards it by its lock.
#ifndef OPTIONS_FLAGS_INTERNAL_H
#define OPTIONS_FLAGS_INTERNAL_H

#include "options/flag_access.h"
#include "options/options.h"

typedef enum FlagType {
    FLAG_BOOL,
    FLAG_INT,
    FLAG_UINT,
    FLAG_INTX,
    FLAG_UINTX,
    FLAG_UINT64_T,
    FLAG_SIZE_T,
    FLAG_DOUBLE,
    FLAG_CCSTR,
    FLAG_CCSTRLIST,
} FlagType;
typedef enum FlagGroup {
    FLAG_GROUP_PRODUCT,
    FLAG_GROUP_MANAGEABLE,
    FLAG_GROUP_DIAGNOSTIC,
    FLAG_GROUP_EXPERIMENTAL
} FlagGroup;
// KIND(id, group, text): the kinds of spec/vm_flags.def and what the list of all flags says.
#define FLAG_KINDS(KIND)                                       \
    KIND(PRODUCT, PRODUCT, "product")                          \
    KIND(PD_PRODUCT, PRODUCT, "pd product")                    \
    KIND(LP64_PRODUCT, PRODUCT, "product lp64_product")        \
    KIND(ARCH_PRODUCT, PRODUCT, "ARCH product")                \
    KIND(C1_PRODUCT, PRODUCT, "C1 product")                    \
    KIND(C2_PRODUCT, PRODUCT, "C2 product")                    \
    KIND(C2_PD_PRODUCT, PRODUCT, "C2 pd product")              \
    KIND(MANAGEABLE, MANAGEABLE, "manageable")                 \
    KIND(DIAGNOSTIC, DIAGNOSTIC, "diagnostic")                 \
    KIND(PD_DIAGNOSTIC, DIAGNOSTIC, "pd diagnostic")           \
    KIND(ARCH_DIAGNOSTIC, DIAGNOSTIC, "ARCH diagnostic")       \
    KIND(C1_DIAGNOSTIC, DIAGNOSTIC, "C1 diagnostic")           \
    KIND(C2_DIAGNOSTIC, DIAGNOSTIC, "C2 diagnostic")           \
    KIND(C2_PD_DIAGNOSTIC, DIAGNOSTIC, "C2 pd diagnostic")     \
    KIND(EXPERIMENTAL, EXPERIMENTAL, "experimental")           \
    KIND(PD_EXPERIMENTAL, EXPERIMENTAL, "pd experimental")     \
    KIND(ARCH_EXPERIMENTAL, EXPERIMENTAL, "ARCH experimental") \
    KIND(C2_EXPERIMENTAL, EXPERIMENTAL, "C2 experimental")     \
    KIND(JVMCI_EXPERIMENTAL, EXPERIMENTAL, "JVMCI experimental")
typedef enum FlagKind {
#define KIND(id, group, text) FLAG_KIND_##id,
    FLAG_KINDS(KIND)
#undef KIND
} FlagKind;

typedef struct KnownFlag {
    const char *name, *range; // range: "least ... greatest", "" when there is none
    const char *value;        // by default, as text
    uint8_t type, kind;
} KnownFlag;
extern const KnownFlag known_flags[];
extern const size_t known_flags_count;

typedef struct OurFlag { // flags that mean something here
    const char *name;
    bool *boolean;
    size_t *size;
    int64_t *number;
    int *integer;
    double *real;
    char **text;
    _Atomic bool *live_boolean; // manageable: see options.h
    _Atomic int *live_integer;
    _Atomic(char *) *live_text;
    const size_t *shown; // a number that the flag shows and does not set
    bool ergonomic;      // its default is chosen for the machine
} OurFlag;

// What -XX:+PrintFlagsFinal and its like ask for.
typedef struct FlagPrints {
    bool final, ranges, command_line, gc, gc_details;
} FlagPrints;
extern FlagPrints flag_prints;

const char *flag_type_text(const KnownFlag *k);
const char *flag_kind_text(const KnownFlag *k);
FlagGroup flag_group(const KnownFlag *k);
// Diagnostic or experimental, and these are not unlocked.
bool flag_is_locked(const KnownFlag *k);
const KnownFlag *known_flag(const char *name); // NULL: there is none
const OurFlag *our_flag(const char *name);     // NULL: it means nothing here
// The upper end of a flag's range, which it has.
const char *flag_greatest(const KnownFlag *k);
// The value in force as text, cut to `size`, and where it is from.
void flag_value_text(const KnownFlag *k, char *out, size_t size);
FlagOrigin flag_origin(const KnownFlag *k);
bool flag_is_noted(const KnownFlag *k); // it was given or changed
// Notes that the flag was given the value.
void flag_note(const KnownFlag *k, const char *value, FlagOrigin by);
void flag_set_boolean(const KnownFlag *k, bool value);
// Sets a flag of texts. A manageable one may be read meanwhile: its old text is never freed.
void flag_set_text(const KnownFlag *k, const char *value);
void flag_set_signed(const KnownFlag *k, int64_t number);
void flag_set_unsigned(const KnownFlag *k, uint64_t number);
void flag_set_double(const KnownFlag *k, double number);

#endif
