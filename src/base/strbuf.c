// SPDX-License-Identifier: Apache-2.0
// A growing string. Always NUL-terminated after the first addition.
#include "base/strbuf.h"

#include <stdio.h>

#include "base/alloc.h"

static void sb_reserve(StrBuf *sb, size_t more)
{
    size_t wanted = sb->len + more + 1;
    if (wanted <= sb->cap)
        return;
    sb->cap = MAX_OF(wanted, sb->cap * 2 + 32);
    sb->s = vm_realloc(sb->s, sb->cap);
}

void sb_add_n(StrBuf *sb, const char *s, size_t len)
{
    sb_reserve(sb, len);
    if (len > 0)
        memcpy(sb->s + sb->len, s, len);
    sb->len += len;
    sb->s[sb->len] = '\0';
}

void sb_add(StrBuf *sb, const char *s)
{
    sb_add_n(sb, s, strlen(s));
}

void sb_putc(StrBuf *sb, char c)
{
    sb_add_n(sb, &c, 1);
}

void sb_vprintf(StrBuf *sb, const char *fmt, va_list ap)
{
    VM_CHECK(fmt != NULL);
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0) {
        sb_reserve(sb, (size_t)n);
        vsnprintf(sb->s + sb->len, (size_t)n + 1, fmt, again);
        sb->len += (size_t)n;
    }
    va_end(again);
}

void sb_printf(StrBuf *sb, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(sb, fmt, ap);
    va_end(ap);
}

void sb_free(StrBuf *sb)
{
    vm_free(sb->s);
    *sb = (StrBuf){0};
}

double text_likeness(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), hits = 0;
    for (size_t i = 0; i + 1 < la; i++) {
        for (size_t j = 0; j + 1 < lb; j++) {
            if (a[i] == b[j] && a[i + 1] == b[j + 1]) {
                hits++;
                break;
            }
        }
    }
    return la + lb > 0 ? 2.0 * (double)hits / (double)(la + lb) : 0;
}
