// SPDX-License-Identifier: Apache-2.0
// Classes whose methods came, went or changed their modifiers (redefine/structure.h): what was resolved through them is
// resolved again.
#ifndef INTERP_RELINK_H
#define INTERP_RELINK_H

#include "class/class.h"

// See versions_relink (redefine/class_version.h).
void relink(bool (*is_affected)(const Class *c));

#endif
