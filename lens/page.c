// SPDX-License-Identifier: Apache-2.0
// The page's files (page.h).
#define _GNU_SOURCE
#include "page.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_PAGE_FILE (8 << 20)

static const struct {
    const char *end, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".woff2", "font/woff2"},
    {".png", "image/png"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
};

static const char *type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (text_ends_with(name, types[i].end))
            return types[i].type;
    }
    return "application/octet-stream";
}

const PageFile *page_embedded(const char *name)
{
    if (getenv("LENS_PAGE_DIR") != NULL)
        return NULL;
    for (const PageFile *f = page_files; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0)
            return f;
    }
    return NULL;
}

static uint8_t *read_from(const char *folder, const char *name, size_t *size)
{
    if (strstr(name, "..") != NULL)
        return NULL;
    char *path = mem_format("%s/%s", folder, name);
    struct stat st;
    uint8_t *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_PAGE_FILE) {
        data = mem_new((size_t)st.st_size + 1, 1);
        ssize_t n = read(fd, data, (size_t)st.st_size);
        *size = n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return data;
}

uint8_t *page_read(const char *name, size_t *size, const char **type)
{
    const char *folder = getenv("LENS_PAGE_DIR");
    *type = type_of(name);
    if (folder != NULL)
        return read_from(folder, name, size);
    const PageFile *f = page_embedded(name);
    if (f == NULL)
        return NULL;
    uint8_t *data = mem_new(f->size + 1, 1);
    z_stream z = {.next_in = (Bytef *)f->gzip,
                  .avail_in = (uInt)f->gzip_size,
                  .next_out = data,
                  .avail_out = (uInt)f->size};
    if (inflateInit2(&z, 16 + MAX_WBITS) == Z_OK) {
        (void)inflate(&z, Z_FINISH);
        assert(z.total_out == f->size);
        inflateEnd(&z);
    }
    *size = z.total_out;
    return data;
}
