// SPDX-License-Identifier: Apache-2.0
// To be preloaded: the system refuses fork, as at the limit of processes.
#include <errno.h>
#include <unistd.h>

__attribute__((visibility("default"))) pid_t fork(void)
{
    errno = EAGAIN;
    return -1;
}
