// SPDX-License-Identifier: Apache-2.0
// Text out: encodings, escapes, numbers, files.
#define _GNU_SOURCE
#include "agentlib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The UTF-16 unit at `s` if that is a three-byte sequence, else 0.
static uint32_t three_byte_unit(const unsigned char *s)
{
    if ((s[0] & 0xF0) != 0xE0 || (s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80) {
        return 0;
    }
    return (uint32_t)(s[0] & 15) << 12 | (uint32_t)(s[1] & 63) << 6 | (uint32_t)(s[2] & 63);
}

static size_t put_four_bytes(char *out, uint32_t code)
{
    assert(code >= 0x10000 && code <= 0x10FFFF);
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

static size_t put_replacement(char *out)
{
    memcpy(out, "\xEF\xBF\xBD", 3);
    return 3;
}

char *agent_utf8(const char *modified)
{
    const unsigned char *s = (const unsigned char *)modified;
    size_t n = 0, room = strlen(modified) * 3 / 2 + 4;
    char *out = malloc(room);
    if (out == NULL) {
        return NULL;
    }
    while (*s != '\0') {
        uint32_t unit = three_byte_unit(s);
        if (unit >= 0xD800 && unit < 0xE000) {
            uint32_t low = three_byte_unit(s + 3);
            bool pair = unit < 0xDC00 && low >= 0xDC00 && low < 0xE000;
            n += pair ? put_four_bytes(out + n,
                                       0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
                      : put_replacement(out + n);
            s += pair ? 6 : 3;
        } else if (s[0] == 0xC0 && s[1] == 0x80) {
            n += put_replacement(out + n);
            s += 2;
        } else {
            out[n++] = (char)*s++;
        }
    }
    assert(n < room);
    out[n] = '\0';
    return out;
}

void agent_write_json(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s < 0x20 || *s == '<' || *s == '>' || *s == '&') {
            fprintf(out, "\\u%04x", *s);
        } else {
            putc(*s, out);
        }
    }
    putc('"', out);
}

void agent_write_html(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: putc(*text, out);
        }
    }
}

char *agent_format_count(uint64_t n, char *buffer)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    char *to = buffer;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

static bool cannot_write(const char *path)
{
    agent_message("cannot write %s: %s", path, strerror(errno));
    return false;
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

// Where a new content is written (malloc'd), and the file that it replaces then: the one behind a
// symbolic link. NULL: what is there is no regular file.
static char *new_name(const char *path, char **target)
{
    struct stat s;
    bool exists = stat(path, &s) == 0;
    char *name = NULL;
    *target = NULL;
    if (exists && !S_ISREG(s.st_mode)) {
        return NULL;
    }
    *target = exists ? realpath(path, NULL) : strdup(path);
    if (*target == NULL || asprintf(&name, "%s.%d.tmp", *target, (int)getpid()) < 0) {
        return NULL;
    }
    return name;
}

bool agent_check_output(const char *path)
{
    if (is_stdout(path)) {
        return true;
    }
    bool refused = access(path, F_OK) == 0 && access(path, W_OK) != 0;
    char *target;
    char *name = refused ? NULL : new_name(path, &target);
    bool ok = !refused;
    if (name != NULL) {
        FILE *out = fopen(name, "we");
        ok = out != NULL;
        if (ok) {
            fclose(out);
            unlink(name);
        }
        free(name);
        free(target);
    }
    return ok || cannot_write(path);
}

bool agent_write_output(const char *path, void (*write)(FILE *out, const void *data),
                        const void *data)
{
    assert(path != NULL && write != NULL);
    char *target = NULL;
    char *name = is_stdout(path) ? NULL : new_name(path, &target);
    FILE *out = is_stdout(path) ? stdout : fopen(name != NULL ? name : path, "we");
    bool ok = out != NULL;
    if (ok) {
        write(out, data);
        ok = ferror(out) == 0;
        ok = (out == stdout ? fflush(out) : fclose(out)) == 0 && ok;
        ok = ok && (name == NULL || rename(name, target) == 0);
    }
    if (!ok) {
        cannot_write(path);
    }
    if (!ok && name != NULL) {
        unlink(name);
    }
    free(name);
    free(target);
    return ok;
}

unsigned agent_terminal_columns(FILE *out, unsigned otherwise)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return otherwise;
}

uint64_t agent_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
