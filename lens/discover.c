// SPDX-License-Identifier: Apache-2.0
// Finds Java VMs (discover.h). Names come from the VM's performance data (hsperfdata) where it has them, else from the command line.
// Both are the program's own and hostile: limits, and no more than text to show.
#define _GNU_SOURCE
#include "discover.h"

#include <ctype.h>
#include <dirent.h>
#include <endian.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PERF_DATA    (1u << 20)
#define MAX_PERF_ENTRIES 4096

// Options of `java` that take the next word.
static const char *const options_with_value[] = {"-cp",
                                                 "-classpath",
                                                 "--class-path",
                                                 "-p",
                                                 "--module-path",
                                                 "--upgrade-module-path",
                                                 "--add-modules",
                                                 "--enable-native-access",
                                                 "--add-exports",
                                                 "--add-opens",
                                                 "--add-reads",
                                                 "--limit-modules",
                                                 "--patch-module",
                                                 "--source"};

static bool takes_value(const char *option)
{
    for (size_t i = 0; i < sizeof options_with_value / sizeof *options_with_value; i++) {
        if (strcmp(option, options_with_value[i]) == 0)
            return true;
    }
    return false;
}

static void main_of_command(Jvm *jvm)
{
    assert(jvm->process.pid > 0);
    size_t length;
    char *words = process_file(jvm->process.pid, "cmdline", &length);
    const char *at = words, *end = words ? words + length : NULL;
    if (at != NULL && at < end)
        at += strlen(at) + 1;
    while (at != NULL && at < end) {
        bool names_main =
            strcmp(at, "-jar") == 0 || strcmp(at, "-m") == 0 || strcmp(at, "--module") == 0;
        if (*at != '-' && *at != '@')
            break;
        at += takes_value(at) ? strlen(at) + 1 : 0;
        if (at < end)
            at += strlen(at) + 1;
        if (names_main)
            break;
    }
    text_copy(jvm->main, sizeof jvm->main,
              at != NULL && at < end ? at : "(a program with the VM inside)");
    free(words);
}

typedef struct PerfData {
    const uint8_t *at;
    size_t size;
    bool little;
} PerfData;

static uint32_t perf_u4(const PerfData *p, size_t offset)
{
    uint32_t value;
    if (offset > p->size || p->size - offset < 4)
        return 0;
    memcpy(&value, p->at + offset, 4);
    return p->little ? le32toh(value) : be32toh(value);
}

// A NUL-terminated text inside, or NULL.
static const char *perf_text(const PerfData *p, size_t offset)
{
    if (offset >= p->size || memchr(p->at + offset, 0, p->size - offset) == NULL)
        return NULL;
    return (const char *)p->at + offset;
}

static void take_perf_entry(Jvm *jvm, const char *name, const char *value)
{
    if (*value == 0)
        return;
    if (strcmp(name, "sun.rt.javaCommand") == 0) {
        text_copy(jvm->main, sizeof jvm->main, value);
        jvm->main[strcspn(jvm->main, " ")] = 0;
    } else if (strcmp(name, "java.property.java.vm.name") == 0) {
        text_copy(jvm->vm, sizeof jvm->vm, value);
    } else if (strcmp(name, "java.property.java.vm.version") == 0) {
        text_copy(jvm->version, sizeof jvm->version, value);
    }
}

// Header: magic 4, byte order 1, versions 2, accessible 1, used 4, overflow 4, time 8, first entry 4, entries 4.
// Entry: length 4, offset of the name 4, length of a vector 4, type 1, flags 3, offset of the value 4.
static void take_perf_data(Jvm *jvm, const uint8_t *data, size_t size)
{
    PerfData p = {data, size, size > 4 && data[4] == 1};
    if (size < 32 || be32toh(*(const uint32_t *)data) != 0xcafec0c0)
        return;
    size_t at = perf_u4(&p, 24);
    uint32_t entries = perf_u4(&p, 28);
    for (uint32_t i = 0; i < entries && i < MAX_PERF_ENTRIES && at + 20 <= size; i++) {
        uint32_t length = perf_u4(&p, at);
        const char *name = perf_text(&p, at + perf_u4(&p, at + 4));
        const char *value = perf_text(&p, at + perf_u4(&p, at + 16));
        if (length < 20 || length > size)
            break;
        if (name != NULL && value != NULL && data[at + 12] == 'B')
            take_perf_entry(jvm, name, value);
        assert(at < size);
        at += length;
    }
}

static void read_perf_data(Jvm *jvm)
{
    assert(jvm->process.inner_pid > 0);
    char *inside = mem_format("/tmp/hsperfdata_%s/%d", jvm->user, jvm->process.inner_pid);
    char *path = process_path(&jvm->process, inside);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
        && st.st_uid == jvm->process.uid) {
        uint8_t *data = mem_new(MAX_PERF_DATA, 1);
        ssize_t size = read(fd, data, MAX_PERF_DATA);
        if (size > 0)
            take_perf_data(jvm, data, (size_t)size);
        free(data);
    }
    if (fd >= 0)
        close(fd);
    free(path);
    free(inside);
}

static void name_user(Jvm *jvm)
{
    struct passwd entry, *found = NULL;
    char buffer[4096];
    if (getpwuid_r(jvm->process.uid, &entry, buffer, sizeof buffer, &found) == 0
        && found != NULL)
        text_copy(jvm->user, sizeof jvm->user, found->pw_name);
    else
        snprintf(jvm->user, sizeof jvm->user, "%u", jvm->process.uid);
}

static bool refuse(Jvm *jvm, const char *why)
{
    text_copy(jvm->why, sizeof jvm->why, why);
    return false;
}

static void decide_attachable(Jvm *jvm)
{
    char *inside = mem_format("/tmp/.java_pid%d", jvm->process.inner_pid);
    char *path = process_path(&jvm->process, inside);
    bool listens = access(path, F_OK) == 0;
    free(path);
    free(inside);
    jvm->attachable = listens || jvm->process.catches_quit;
    if (!jvm->attachable)
        refuse(jvm, "it does not listen for tools yet, or was started with -Xrs or "
                    "-XX:+DisableAttachMechanism; "
                    "start it with -agentpath:liblens.so");
}

bool discover_one(pid_t pid, Jvm *jvm)
{
    *jvm = (Jvm){0};
    if (!process_read(pid, &jvm->process))
        return refuse(jvm, "there is no such process");
    uid_t me = geteuid();
    if (me != 0 && jvm->process.uid != me)
        return refuse(jvm, "it belongs to another user; run lens as that user");
    if (!process_maps(pid, "libjvm.so", jvm->library, sizeof jvm->library))
        return refuse(jvm, "it is not a Java VM (no libjvm.so is mapped)");
    name_user(jvm);
    main_of_command(jvm);
    text_copy(jvm->vm, sizeof jvm->vm, "Java VM");
    read_perf_data(jvm);
    decide_attachable(jvm);
    return true;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    long x = strtol((*a)->d_name, NULL, 10), y = strtol((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

static int is_number(const struct dirent *entry)
{
    return isdigit((unsigned char)entry->d_name[0]);
}

Jvm *discover_all(uint32_t *count)
{
    ARRAY(Jvm) found = {0};
    struct dirent **entries;
    int n = scandir("/proc", &entries, is_number, by_number);
    for (int i = 0; i < n; i++) {
        Jvm jvm;
        if (discover_one((pid_t)strtol(entries[i]->d_name, NULL, 10), &jvm))
            *ARRAY_PUSH(&found) = jvm;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    *count = found.count;
    return found.at ? found.at : mem_new(1, sizeof(Jvm));
}
