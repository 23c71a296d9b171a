// SPDX-License-Identifier: Apache-2.0
// Finds sources (source.h). A class's name comes from the program and is hostile: a path is made of it only if each part is plain.
#define _GNU_SOURCE
#include "source.h"

#include "zip.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SOURCE  (8u << 20)
#define MOST_PLACES 200 // before the JDK's

static const char *const below[] = {"", "/src/main/java", "/src/test/java", "/src",
                                    "/src/main/kotlin"};

typedef struct Finding {
    const Session *session;
    char *name; // com/acme/Order.java
    Source *source;
    uint32_t most; // places
} Finding;

// com/acme/Order.java of com.acme.Order$Item and "Order.java"; NULL if the name could leave its folder.
static char *file_of_class(const Session *s, const char *class_name)
{
    char class[1024];
    const char *file = "";
    text_copy(class, sizeof class, class_name);
    for (uint32_t i = 1; s->model != NULL && i < s->model->classes.count && *file == 0; i++) {
        if (strcmp(model_name(s->model, s->model->classes.at[i].name), class_name) == 0)
            file = model_name(s->model, s->model->classes.at[i].source);
    }
    class[strcspn(class, "$/[")] = 0;
    if (strchr(file, '/') != NULL || strstr(class, "..") != NULL || *class == '.'
        || *class == 0)
        return NULL;
    for (char *c = class; *c != 0; c++)
        *c = *c == '.' ? '/' : *c;
    char *slash = strrchr(class, '/');
    if (*file == 0)
        return mem_format("%s.java", class);
    if (slash == NULL)
        return mem_format("%s", file);
    *slash = 0;
    return mem_format("%s/%s", class, file);
}

static char *read_text(const char *path, size_t *length)
{
    struct stat st;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
        && st.st_size <= (off_t)MAX_SOURCE) {
        text = mem_new((size_t)st.st_size + 1, 1);
        ssize_t n = read(fd, text, (size_t)st.st_size);
        *length = n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

static void look_in_archive(Finding *f, const char *path)
{
    assert(f->source->text == NULL);
    char found[512];
    f->source->text = zip_read(path, f->name, MAX_SOURCE, &f->source->length, found);
    if (f->source->text != NULL)
        f->source->path = mem_format("%s!/%s", path, found);
}

static void look_in_folder(Finding *f, const char *folder)
{
    assert(f->source->text == NULL);
    const char *base = strrchr(f->name, '/');
    for (size_t i = 0; i < sizeof below / sizeof *below && f->source->text == NULL; i++) {
        char *path = mem_format("%s%s/%s", folder, below[i], f->name);
        f->source->text = read_text(path, &f->source->length);
        if (f->source->text != NULL)
            f->source->path = path;
        else
            free(path);
    }
    if (f->source->text == NULL && base != NULL) { // a folder that is the package itself
        char *path = mem_format("%s%s", folder, base);
        f->source->text = read_text(path, &f->source->length);
        if (f->source->text != NULL)
            f->source->path = path;
        else
            free(path);
    }
}

// A folder, zip or jar. Does nothing when the source was found already.
static void look_in(Finding *f, const char *place)
{
    struct stat st;
    if (f->source->text != NULL || f->source->looked.count >= f->most || stat(place, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode))
        look_in_folder(f, place);
    else
        look_in_archive(f, place);
    if (f->source->text == NULL)
        *ARRAY_PUSH(&f->source->looked) = mem_text(place, strlen(place));
}

static void look_beside(Finding *f, const char *entry)
{
    char *here = process_path(&f->session->jvm.process, entry);
    if (text_ends_with(here, ".jar")) {
        char *sources = mem_format("%.*s-sources.jar", (int)(strlen(here) - 4), here);
        look_in(f, sources);
        free(sources);
        look_in(f, here);
    } else {
        static const char *const above[] = {"", "/..", "/../..", "/../../.."};
        for (size_t i = 0; i < sizeof above / sizeof *above;
             i++) { // classes, build/classes, build/classes/java/main
            char *folder = mem_format("%s%s", here, above[i]);
            look_in(f, folder);
            free(folder);
        }
    }
    free(here);
}

// The class path of the command line, relative to the program's folder.
static void look_at_class_path(Finding *f)
{
    const Process *p = &f->session->jvm.process;
    size_t length;
    char *words =
             f->session->mode == SESSION_LIVE ? process_file(p->pid, "cmdline", &length) : NULL,
         *save;
    char cwd[4096], link[64];
    if (words == NULL)
        return;
    snprintf(link, sizeof link, "/proc/%d/cwd", p->pid);
    ssize_t n = readlink(link, cwd, sizeof cwd - 1);
    cwd[n > 0 ? n : 0] = 0;
    for (char *w = words; w < words + length; w += strlen(w) + 1) {
        bool names_path = strcmp(w, "-cp") == 0 || strcmp(w, "-classpath") == 0
                          || strcmp(w, "--class-path") == 0 || strcmp(w, "-jar") == 0;
        char *path = w + strlen(w) + 1;
        if (!names_path || path >= words + length)
            continue;
        char *copy = mem_text(path, strlen(path));
        for (char *e = strtok_r(copy, ":", &save); e != NULL; e = strtok_r(NULL, ":", &save)) {
            char *whole = *e == '/' ? mem_text(e, strlen(e)) : mem_format("%s/%s", cwd, e);
            look_beside(f, whole);
            free(whole);
        }
        free(copy);
    }
    free(words);
    if (*cwd != 0)
        look_beside(f, cwd);
}

static void look_at_jdk(Finding *f)
{
    const char *home = f->session->model ? model_hello(f->session->model, "java.home") : "";
    const char *ours = getenv("JAVA_HOME");
    const char *homes[] = {home, ours ? ours : "", "/usr/lib/jvm/openjdk-17"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        static const char *const places[] = {"lib/src.zip", "src.zip"};
        for (size_t k = 0; k < 2 && *homes[i] != 0; k++) {
            char *path = mem_format("%s/%s", homes[i], places[k]);
            look_in(f, path);
            free(path);
        }
    }
}

void source_find(const Session *session, const char *class_name, Source *source)
{
    *source = (Source){0};
    Finding f = {.session = session,
                 .name = file_of_class(session, class_name),
                 .source = source,
                 .most = MOST_PLACES};
    if (f.name == NULL)
        return;
    for (uint32_t i = 0; i < session->sources.count; i++)
        look_in(&f, session->sources.at[i]);
    look_at_class_path(&f);
    f.most = UINT32_MAX;
    look_at_jdk(&f);
    assert((source->text == NULL) == (source->path == NULL));
    free(f.name);
}

void source_free(Source *source)
{
    for (uint32_t i = 0; i < source->looked.count; i++)
        free(source->looked.at[i]);
    free(source->looked.at);
    free(source->text);
    free(source->path);
    *source = (Source){0};
}
