// SPDX-License-Identifier: Apache-2.0
// Declares all verbs of verbs.def, for the files that define them and for the table that lists
// them.
#ifndef LENS_VERBS_H
#define LENS_VERBS_H

#include "lens.h"

#define LENS_VERB(name) extern const LensVerb lens_verb_##name;
#include "verbs.def"
#undef LENS_VERB

#define LENS_PART(name) void lens_part_##name(void);
#include "parts.def"
#undef LENS_PART

#endif
