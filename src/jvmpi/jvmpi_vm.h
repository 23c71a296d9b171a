// SPDX-License-Identifier: Apache-2.0
// What the VM's start needs of JVMPI.
#ifndef JVMPI_JVMPI_VM_H
#define JVMPI_JVMPI_VM_H

// Lets GetEnv give the interface. Nothing else happens before somebody asks for it. Before agents
// are loaded, after the JVM TI layer has subscribed.
void jvmpi_init(void);

#endif
