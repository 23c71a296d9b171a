// SPDX-License-Identifier: Apache-2.0
// Where the boot loader's bytes come from: the image lib/modules (image_map.h), or the exploded form
// modules/<name>; before it the --patch-module entries of the module; behind it, for packages of no
// module, the entries of -Xbootclasspath/a and of JVM TI. Jars are read through libzip.so, compressed
// resources of the image through libjimage.so, loaded when the first one is needed. Entries are only
// ever added, at the end, under path_lock; an entry is immutable afterwards.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "class/image_map.h"
#include "class/loader_internal.h"

typedef struct JImage JImage;
typedef struct JZip JZip;
typedef struct JZipEntry JZipEntry;

static JImage *(*jimage_open)(const char *path, jint *error);
static jlong (*jimage_find)(JImage *image, const char *module, const char *version,
                            const char *name, jlong *size);
static jlong (*jimage_get)(JImage *image, jlong location, char *buffer, jlong size);
static JZip *(*zip_open)(const char *name, char **message);
static JZipEntry *(*zip_find)(JZip *zip, const char *name, jint *size, jint *name_len);
static void (*zip_close)(JZip *zip);
static jboolean (*zip_read)(JZip *zip, JZipEntry *entry, unsigned char *buffer,
                            char *name_buffer);

typedef struct PathEntry {
    char *path;
    JZip *zip;    // NULL: a directory
    char *module; // of patches
} PathEntry;

static char *home;
static char *exploded;   // home/modules when there is no image
static JImage *unpacker; // the image as libjimage.so reads it; set under path_lock
static Mutex path_lock = MUTEX_INIT(RANK_MODULE);
static VEC(PathEntry *) appended, patches;
static bool any_module; // after initPhase2

const char *boot_path_java_home(void)
{
    return home;
}

// ---- libraries ----
static void *open_library(const char *name, char *error, size_t error_size)
{
    char *path = vm_asprintf("%s/lib/%s", home, name);
    void *lib = os_library_open(path, error, error_size);
    vm_free(path);
    return lib;
}

// The library's view of the image. NULL: it cannot be had. path_lock is held.
static JImage *open_unpacker(void)
{
    char error[256], *modules = vm_asprintf("%s/lib/modules", home);
    void *lib = open_library("libjimage.so", error, sizeof error);
    if (lib) {
        *(void **)&jimage_open = os_library_find(lib, "JIMAGE_Open");
        *(void **)&jimage_find = os_library_find(lib, "JIMAGE_FindResource");
        *(void **)&jimage_get = os_library_find(lib, "JIMAGE_GetResource");
    }
    jint code = 0;
    JImage *image =
        jimage_open && jimage_find && jimage_get ? jimage_open(modules, &code) : NULL;
    vm_free(modules);
    return image;
}

static bool zip_load(void)
{
    char error[256];
    if (zip_open)
        return true;
    void *lib = open_library("libzip.so", error, sizeof error);
    if (!lib)
        return false;
    *(void **)&zip_find = os_library_find(lib, "ZIP_FindEntry");
    *(void **)&zip_read = os_library_find(lib, "ZIP_ReadEntry");
    *(void **)&zip_open = os_library_find(lib, "ZIP_Open");
    *(void **)&zip_close = os_library_find(lib, "ZIP_Close");
    return zip_find && zip_read && zip_close && zip_open;
}

// ---- entries ----
// NULL: neither a directory nor a readable jar (such entries are ignored).
static PathEntry *entry_new(const char *path, const char *module)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return NULL;
    JZip *zip = NULL;
    if (!S_ISDIR(st.st_mode)) {
        char *message = NULL;
        zip = zip_load() ? zip_open(path, &message) : NULL;
        if (!zip)
            return NULL;
    }
    PathEntry *e = vm_calloc(1, sizeof *e);
    e->path = vm_strdup(path);
    e->zip = zip;
    e->module = module ? vm_strdup(module) : NULL;
    return e;
}

static uint8_t *read_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return NULL;
    }
    uint8_t *p = vm_malloc((size_t)st.st_size + 1);
    size_t n = 0;
    for (ssize_t r = 1; n < (size_t)st.st_size && r != 0; n += (size_t)MAX_OF(r, 0)) {
        r = read(fd, p + n, (size_t)st.st_size - n);
        if (r < 0 && errno != EINTR)
            break;
    }
    close(fd);
    if (n < (size_t)st.st_size) {
        vm_free(p);
        return NULL;
    }
    *len = n;
    return p;
}

static uint8_t *read_below(const char *dir, const char *name, size_t *len)
{
    char *path = vm_asprintf("%s/%s", dir, name);
    uint8_t *p = read_file(path, len);
    vm_free(path);
    return p;
}

static uint8_t *read_zip(JZip *zip, const char *name, size_t *len)
{
    jint size = 0, name_len = 0;
    JZipEntry *e = zip_find(zip, name, &size, &name_len);
    if (!e)
        return NULL;
    char *name_buffer = vm_malloc((size_t)name_len + 1);
    uint8_t *p = vm_malloc((size_t)size + 1);
    bool ok = zip_read(zip, e, p, name_buffer);
    vm_free(name_buffer);
    if (!ok) {
        vm_free(p);
        return NULL;
    }
    *len = (size_t)size;
    return p;
}

static uint8_t *read_entry(const PathEntry *e, const char *name, size_t *len)
{
    return e->zip ? read_zip(e->zip, name, len) : read_below(e->path, name, len);
}

// ---- configuration ----
static void append_entry(PathEntry *e)
{
    if (!e)
        return;
    mutex_lock(&path_lock);
    vec_push(&appended, e);
    mutex_unlock(&path_lock);
}

static void each_path(const char *list, void (*visit)(const char *path, const char *arg),
                      const char *arg)
{
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ":");
        char *one = vm_strndup(p, n);
        if (n)
            visit(one, arg);
        vm_free(one);
        p += n + (p[n] == ':');
    }
}

static void append_one(const char *path, const char *arg UNUSED)
{
    append_entry(entry_new(path, NULL));
}

void loader_append_boot_path(const char *list)
{
    each_path(list, append_one, NULL);
}

bool loader_append_boot_jar(const char *path)
{
    if (!loader_is_jar(path))
        return false;
    append_entry(entry_new(path, NULL));
    return true;
}

bool loader_is_jar(const char *path)
{
    char *message = NULL;
    JZip *zip = zip_load() ? zip_open(path, &message) : NULL;
    if (zip)
        zip_close(zip);
    return zip != NULL;
}

static void patch_one(const char *path, const char *module)
{
    PathEntry *e = entry_new(path, module);
    if (e)
        vec_push(&patches, e);
}

void loader_add_patch(const char *module, const char *path)
{
    each_path(path, patch_one, module);
}

bool boot_path_init(const char *java_home, const char *append, char *error, size_t error_size)
{
    home = vm_strdup(java_home);
    char *modules = vm_asprintf("%s/lib/modules", home);
    bool found;
    if (access(modules, R_OK) == 0) {
        found = image_map_open(modules);
    } else {
        exploded = vm_asprintf("%s/modules", home);
        char *base = vm_asprintf("%s/java.base", exploded);
        found = access(base, R_OK) == 0;
        vm_free(base);
    }
    if (!found)
        snprintf(error, error_size, "Failed setting boot class path.");
    vm_free(modules);
    if (append)
        loader_append_boot_path(append);
    LOG(LOG_CLASS_PATH, LOG_INFO, "bootstrap loader class path=%s/%s%s%s", home,
        exploded ? "modules/java.base" : "lib/modules", append ? ":" : "",
        append ? append : "");
    return found;
}

bool loader_modules_are_ready(void)
{
    return any_module;
}

void loader_modules_ready(void)
{
    any_module = true;
}

// ---- lookup ----
static uint8_t *read_compressed(const char *module, const char *name, size_t *len)
{
    mutex_lock(&path_lock);
    if (!unpacker)
        unpacker = open_unpacker();
    JImage *image = unpacker;
    mutex_unlock(&path_lock);
    jlong size = 0, location = image ? jimage_find(image, module, "9.0", name, &size) : 0;
    if (!location)
        return NULL;
    uint8_t *p = vm_malloc((size_t)size + 1);
    *len = (size_t)size;
    jimage_get(image, location, (char *)p, size);
    return p;
}

static const uint8_t *read_module(const char *module, const char *name, size_t *len)
{
    if (exploded) {
        char *dir = vm_asprintf("%s/%s", exploded, module);
        uint8_t *p = read_below(dir, name, len);
        vm_free(dir);
        return p;
    }
    ImageResource found;
    if (!image_map_find(module, name, &found))
        return NULL;
    if (!found.bytes)
        return read_compressed(module, name, len);
    *len = found.size;
    return found.bytes;
}

static uint8_t *read_patched(const char *module, const char *name, size_t *len,
                             const char **source)
{
    for (size_t i = 0; i < patches.len; i++) {
        if (strcmp(patches.at[i]->module, module) != 0)
            continue;
        uint8_t *p = read_entry(patches.at[i], name, len);
        if (!p)
            continue;
        *source = patches.at[i]->path;
        return p;
    }
    return NULL;
}

static const char *jrt_source(const char *module)
{
    char *s = vm_asprintf("jrt:/%s", module);
    Symbol *text = symbol_intern(s);
    vm_free(s);
    return text->s;
}

static uint8_t *read_appended(const char *name, size_t *len, const char **source)
{
    mutex_lock(&path_lock);
    size_t n = appended.len;
    mutex_unlock(&path_lock);
    for (size_t i = 0; i < n; i++) {
        mutex_lock(&path_lock);
        PathEntry *e = appended.at[i];
        mutex_unlock(&path_lock);
        uint8_t *p = read_entry(e, name, len);
        if (!p)
            continue;
        *source = e->path;
        return p;
    }
    return NULL;
}

// The name of the boot module that holds a package now; NULL when none does. Until modules are
// there, java.base has every package of which classes are found in it.
static const char *module_of_package(const Symbol *package)
{
    if (!any_module && !module_java_base->defined)
        return "java.base";
    mutex_lock(&module_lock);
    Package *p = ptrmap_get(&loader_boot->packages, (uintptr_t)package);
    const char *name = p && p->module && p->module->name ? p->module->name->s : NULL;
    mutex_unlock(&module_lock);
    return any_module || (name && strcmp(name, "java.base") == 0) ? name : NULL;
}

static const uint8_t *find(const Symbol *package, const char *file, size_t *len,
                           const char **source)
{
    const char *module = module_of_package(package);
    if (!module)
        return any_module ? read_appended(file, len, source) : NULL;
    const uint8_t *p = read_patched(module, file, len, source);
    if (p)
        return p;
    p = read_module(module, file, len);
    if (p)
        *source = jrt_source(module);
    return p;
}

const uint8_t *boot_path_class(Symbol *name, size_t *len, const char **source)
{
    char *file = vm_asprintf("%s.class", name->s);
    const uint8_t *p = find(class_package_name(name), file, len, source);
    vm_free(file);
    return p;
}

void boot_path_release(const uint8_t *bytes, size_t len)
{
    if (!image_map_contains(bytes, len))
        vm_free((void *)(uintptr_t)bytes);
}
