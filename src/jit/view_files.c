// SPDX-License-Identifier: Apache-2.0
// The files of -XX:JitView: a page a compilation, and index.html, to which a line is added for each. See view.h.
// Lock: index_lock (RANK_COMPILE), a leaf.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/log.h"
#include "jit/generated/view_html.h"
#include "jit/generated/view_index_html.h"
#include "jit/view.h"
#include "options/options.h"

static Mutex index_lock = MUTEX_INIT(RANK_COMPILE);
static _Atomic bool is_on;

bool view_is_on(void)
{
    return atomic_load_explicit(&is_on, memory_order_relaxed);
}

// The first that fails says so and is the last.
static void fail(const char *path, int error)
{
    if (atomic_exchange_explicit(&is_on, false, memory_order_relaxed))
        vm_warning("JitView: %s: %s; no more pages are written", path, strerror(error));
}

// Writes the texts one behind the other; `mode` as of fopen.
static void write_file(const char *path, const char *mode, const char *const *texts)
{
    errno = 0;
    FILE *f = fopen(path, mode);
    bool ok = f != NULL;
    for (; ok && *texts; texts++)
        ok = fputs(*texts, f) >= 0;
    int error = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (!ok)
        fail(path, error);
}

static char *path_of(const char *name)
{
    return vm_asprintf("%s/%s", vm_options.jit_view, name);
}

// What stands in class files is no name of a file: letters and digits stay.
static char *page_name(const CompileTask *task)
{
    enum { MOST = 100 };
    StrBuf text = {0};
    sb_printf(&text, "%05u-", task->id);
    size_t from = text.len;
    sb_printf(&text, "%s.%s", task->method->cls->name->s, task->method->name->s);
    for (size_t i = from; i < text.len; i++)
        if (!isalnum((unsigned char)text.s[i]) || (text.s[i] & 0x80))
            text.s[i] = text.s[i] == '/' || text.s[i] == '.' ? '.' : '_';
    char *name = vm_asprintf("%.*s.html", (int)MIN_OF(text.len, from + MOST), text.s);
    sb_free(&text);
    return name;
}

void view_write(const CompileTask *task, const StrBuf *page, const StrBuf *row)
{
    static const char place[] = "@DATA@"; // in the template
    const char *at = strstr(VIEW, place);
    VM_ASSERT(at);
    char *head = vm_asprintf("%.*s", (int)(at - VIEW), VIEW);
    char *name = page_name(task), *path = path_of(name), *index = path_of("index.html");
    write_file(path, "we", (const char *[]){head, page->s, at + strlen(place), NULL});
    mutex_lock(&index_lock);
    if (view_is_on())
        write_file(index, "ae",
                   (const char *[]){"<script>row(", row->s, ",\"page\":\"", name,
                                    "\"})</script>\n", NULL});
    mutex_unlock(&index_lock);
    vm_free(head);
    vm_free(name);
    vm_free(path);
    vm_free(index);
}

void view_init(void)
{
    if (!vm_options.jit_view)
        return;
    atomic_store_explicit(&is_on, true, memory_order_relaxed);
    (void)mkdir(vm_options.jit_view, 0777); // what is wrong the file finds
    char *index = path_of("index.html");
    write_file(index, "we", (const char *[]){VIEW_INDEX, NULL});
    vm_free(index);
}
