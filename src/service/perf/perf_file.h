// SPDX-License-Identifier: Apache-2.0
// The file behind the performance data: /tmp/hsperfdata_<user>/<pid>. Its folder is shared by
// all VMs of a user and lies where everybody may write: it is used only when it is a real folder
// of ours that nobody else can write to, and no link is followed.
#ifndef SERVICE_PERF_PERF_FILE_H
#define SERVICE_PERF_PERF_FILE_H

#include "base/common.h"

// Makes and maps the file, zeroed; removes those that dead processes left. It disappears when
// the VM ends (and is copied before where -XX:+PerfDataSaveToFile asks for it). NULL when that is
// not possible.
char *perf_file_create(size_t size);

#endif
