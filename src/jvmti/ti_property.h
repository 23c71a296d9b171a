// SPDX-License-Identifier: Apache-2.0
// System properties of the command line, before the VM has started.
#ifndef JVMTI_TI_PROPERTY_H
#define JVMTI_TI_PROPERTY_H

// Sets or adds one; the texts are copied. In the OnLoad phase only.
void ti_property_set(const char *key, const char *value);

#endif
