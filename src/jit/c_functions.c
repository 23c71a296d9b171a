// SPDX-License-Identifier: Apache-2.0
// See c_functions.h. What goes over many bytes does so by vectors of 16, which every processor of these has.
#define _GNU_SOURCE // memmem
#include "jit/c_functions.h"

#include "class/class.h"
#include "java/java_object.h"

// ---- ranges ----

// Whether `count` elements from `from` on are in an array of so many, and few enough.
static bool in_range(int64_t length, int64_t from, int64_t count)
{
    return from >= 0 && count >= 0 && from + count <= length && count <= C_MOST_BYTES / 2;
}

static const uint8_t *bytes_of(const Object *a)
{
    return array_data(a);
}

// Of a byte[] that has characters of two bytes.
static int32_t char_count(const Object *a)
{
    return array_length(a) >> 1;
}

static uint16_t char_at(const uint8_t *chars, int64_t i)
{
    uint16_t c;
    memcpy(&c, chars + 2 * i, sizeof c);
    return c;
}

// ---- arrays, objects ----

int64_t c_arraycopy(Object *from, int32_t from_pos, Object *to, int32_t to_pos, int32_t length)
{
    if (!from || !to)
        return C_DECLINED;
    const Class *c = object_class(from), *d = object_class(to);
    int shift = c->layout.elem_shift;
    if (!class_is_array(c) || !class_is_array(d)
        || !in_range(array_length(from), from_pos, length)
        || !in_range(array_length(to), to_pos, length) || length > C_MOST_BYTES >> shift)
        return C_DECLINED;
    if (!class_is_reference_array(c)) {
        if (c != d)
            return C_DECLINED;
        memmove((char *)array_data(to) + ((size_t)to_pos << shift),
                (char *)array_data(from) + ((size_t)from_pos << shift),
                (size_t)length << shift);
        return 0;
    }
    if (!class_is_reference_array(d) || (c != d && !class_is_subclass(c->element, d->element)))
        return C_DECLINED;
    array_copy_refs(from, from_pos, to, to_pos, length);
    return 0;
}

Object *c_clone_array(const Object *a)
{
    return array_clone_fast(thread_current(), a);
}

int32_t c_identity_hash(Object *o)
{
    return o ? (int32_t)object_identity_hash(o) : 0;
}

int32_t c_is_primitive(const Object *mirror)
{
    return class_is_primitive(class_of_mirror(mirror));
}

int32_t c_is_instance(const Object *mirror, const Object *o)
{
    const Class *c = class_of_mirror(mirror);
    return o && !class_is_primitive(c) && object_is_instance(o, c);
}

// Of so many bytes: where the first byte differs; `count`: none does.
static size_t find_difference(const uint8_t *a, const uint8_t *b, size_t count)
{
    size_t i = 0;
    for (uint64_t x, y; i + sizeof x <= count; i += sizeof x) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        if (x != y)
            return i + (size_t)__builtin_ctzll(x ^ y) / 8; // the lowest byte comes first
    }
    while (i < count && a[i] == b[i])
        i++;
    return i;
}

int64_t c_mismatch(const Object *a, int64_t a_offset, const Object *b, int64_t b_offset,
                   int32_t count, int32_t shift)
{
    if (!a || !b || count < 0 || shift < 0 || shift > 3 || count > C_MOST_BYTES >> shift)
        return C_DECLINED;
    size_t bytes = (size_t)count << shift;
    size_t at =
        find_difference(object_at(a, (size_t)a_offset), object_at(b, (size_t)b_offset), bytes);
    return at == bytes ? -1 : (int64_t)(at >> shift);
}

// ---- strings ----

static bool is_short(const Object *a)
{
    return a && array_length(a) <= C_MOST_BYTES;
}

// Of two arrays' data, whose last word is all theirs. Most strings are shorter than a call of memcmp is worth.
static bool same_bytes(const Object *a, const Object *b, size_t count)
{
    enum { WORD = sizeof(uint64_t), SHORT = 8 * WORD };
    const uint8_t *x = array_data(a), *y = array_data(b);
    if (count > SHORT)
        return memcmp(x, y, count) == 0;
    uint64_t v = 0, w = 0;
    for (size_t i = 0; i < count; i += WORD) {
        memcpy(&v, x + i, WORD);
        memcpy(&w, y + i, WORD);
        uint64_t differs = v ^ w;
        if (i + WORD > count)
            differs <<= 8 * (i + WORD - count); // the first bytes are the lowest
        if (differs)
            return false;
    }
    return true;
}

int64_t c_bytes_equal(const Object *a, const Object *b)
{
    if (!is_short(a) || !b)
        return C_DECLINED;
    return array_length(a) == array_length(b) && same_bytes(a, b, (size_t)array_length(a));
}

int64_t c_utf16_equal(const Object *a, const Object *b)
{
    if (!is_short(a) || !b)
        return C_DECLINED;
    return array_length(a) == array_length(b) && same_bytes(a, b, (size_t)char_count(a) * 2);
}

int64_t c_latin1_compare(const Object *a, const Object *b)
{
    if (!is_short(a) || !is_short(b))
        return C_DECLINED;
    size_t both = (size_t)MIN_OF(array_length(a), array_length(b));
    size_t at = find_difference(bytes_of(a), bytes_of(b), both);
    return at < both ? bytes_of(a)[at] - bytes_of(b)[at] : array_length(a) - array_length(b);
}

int64_t c_utf16_compare(const Object *a, const Object *b)
{
    if (!is_short(a) || !is_short(b))
        return C_DECLINED;
    int32_t both = MIN_OF(char_count(a), char_count(b));
    int32_t at = (int32_t)(find_difference(bytes_of(a), bytes_of(b), (size_t)both * 2) / 2);
    return at < both ? char_at(bytes_of(a), at) - char_at(bytes_of(b), at)
                     : char_count(a) - char_count(b);
}

enum { H1 = 31, H2 = 31 * 31, H3 = 31 * 31 * 31, H4 = 31 * 31 * 31 * 31 };

int64_t c_latin1_hash(const Object *a)
{
    if (!is_short(a))
        return C_DECLINED;
    uint32_t hash = 0;
    const uint8_t *p = bytes_of(a), *end = p + array_length(a);
    for (; end - p >= 4; p += 4)
        hash = hash * (uint32_t)H4 + p[0] * (uint32_t)H3 + p[1] * (uint32_t)H2
               + p[2] * (uint32_t)H1 + p[3];
    while (p < end)
        hash = hash * (uint32_t)H1 + *p++;
    return (int32_t)hash;
}

int64_t c_utf16_hash(const Object *a)
{
    if (!is_short(a))
        return C_DECLINED;
    uint32_t hash = 0;
    const uint8_t *p = bytes_of(a);
    int32_t i = 0, count = char_count(a);
    for (; count - i >= 4; i += 4)
        hash = hash * (uint32_t)H4 + char_at(p, i) * (uint32_t)H3
               + char_at(p, i + 1) * (uint32_t)H2 + char_at(p, i + 2) * (uint32_t)H1
               + char_at(p, i + 3);
    for (; i < count; i++)
        hash = hash * (uint32_t)H1 + char_at(p, i);
    return (int32_t)hash;
}

int64_t c_latin1_index_of_char(const Object *a, int32_t ch, int32_t from, int32_t end)
{
    if (!a || !in_range(array_length(a), from, (int64_t)end - from))
        return C_DECLINED;
    const uint8_t *found = memchr(bytes_of(a) + from, (uint8_t)ch, (size_t)(end - from));
    return found ? found - bytes_of(a) : -1;
}

int64_t c_latin1_index_of(const Object *a, int32_t count, const Object *part,
                          int32_t part_count, int32_t from)
{
    if (!a || !part || part_count < 1 || !in_range(array_length(part), 0, part_count)
        || !in_range(array_length(a), from, (int64_t)count - from))
        return C_DECLINED;
    const uint8_t *found = memmem(bytes_of(a) + from, (size_t)(count - from), array_data(part),
                                  (size_t)part_count);
    return found ? found - bytes_of(a) : -1;
}

int64_t c_utf16_index_of_char(const Object *a, int32_t ch, int32_t from, int32_t end)
{
    if (!a || !in_range(char_count(a), from, (int64_t)end - from))
        return C_DECLINED;
    for (int32_t i = from; i < end; i++)
        if (char_at(bytes_of(a), i) == ch)
            return i;
    return -1;
}

// ---- from one width to the other ----

typedef uint8_t Bytes8 __attribute__((vector_size(8)));
typedef uint16_t Chars8 __attribute__((vector_size(16)));
enum { LANES = sizeof(Bytes8) };

static void inflate(const uint8_t *from, uint8_t *to, int32_t count)
{
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        Bytes8 narrow;
        memcpy(&narrow, from + i, sizeof narrow);
        Chars8 wide = __builtin_convertvector(narrow, Chars8);
        memcpy(to + 2 * i, &wide, sizeof wide);
    }
    for (; i < count; i++) {
        uint16_t c = from[i];
        memcpy(to + 2 * i, &c, sizeof c);
    }
}

// Characters that have none of the bits. How many were written.
static int32_t narrow(const uint8_t *from, uint8_t *to, int32_t count, uint16_t bits)
{
    int32_t i = 0;
    uint64_t mask = bits * 0x0001000100010001u;
    for (; i + LANES <= count; i += LANES) {
        Chars8 wide;
        memcpy(&wide, from + 2 * i, sizeof wide);
        uint64_t halves[2];
        memcpy(halves, &wide, sizeof halves);
        if ((halves[0] | halves[1]) & mask)
            break;
        Bytes8 bytes = __builtin_convertvector(wide, Bytes8);
        memcpy(to + i, &bytes, sizeof bytes);
    }
    for (; i < count; i++) {
        uint16_t c = char_at(from, i);
        if (c & bits)
            break;
        to[i] = (uint8_t)c;
    }
    return i;
}

enum { NOT_LATIN1 = 0xFF00, NOT_ASCII = 0xFF80 };

// `room`: how many chars `to`, which may be null, has.
static int64_t inflate_within(const Object *from, int32_t from_pos, Object *to, int32_t room,
                              int32_t to_pos, int32_t count)
{
    if (!from || !to || !in_range(array_length(from), from_pos, count)
        || !in_range(room, to_pos, count))
        return C_DECLINED;
    inflate(bytes_of(from) + from_pos, (uint8_t *)array_data(to) + 2 * (size_t)to_pos, count);
    return 0;
}

int64_t c_latin1_inflate_chars(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                               int32_t count)
{
    return inflate_within(from, from_pos, to, to ? array_length(to) : 0, to_pos, count);
}

int64_t c_utf16_inflate(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                        int32_t count)
{
    return inflate_within(from, from_pos, to, to ? char_count(to) : 0, to_pos, count);
}

int64_t c_utf16_get_chars(const Object *from, int32_t begin, int32_t end, Object *to,
                          int32_t to_pos)
{
    int64_t count = (int64_t)end - begin;
    if (!from || !to || !in_range(char_count(from), begin, count)
        || !in_range(array_length(to), to_pos, count))
        return C_DECLINED;
    memcpy((uint8_t *)array_data(to) + 2 * (size_t)to_pos, bytes_of(from) + 2 * (size_t)begin,
           (size_t)count * 2);
    return 0;
}

// `length`: of `from`, in characters.
static int64_t encode(const Object *from, int32_t length, int32_t from_pos, Object *to,
                      int32_t to_pos, int32_t count, uint16_t bits)
{
    if (!to || !in_range(length, from_pos, count) || !in_range(array_length(to), to_pos, count))
        return C_DECLINED;
    return narrow(bytes_of(from) + 2 * (size_t)from_pos, (uint8_t *)array_data(to) + to_pos,
                  count, bits);
}

int64_t c_encode_latin1(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                        int32_t count)
{
    return from ? encode(from, array_length(from), from_pos, to, to_pos, count, NOT_LATIN1)
                : C_DECLINED;
}

int64_t c_encode_latin1_utf16(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                              int32_t count)
{
    return from ? encode(from, char_count(from), from_pos, to, to_pos, count, NOT_LATIN1)
                : C_DECLINED;
}

int64_t c_encode_ascii(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                       int32_t count)
{
    return from ? encode(from, array_length(from), from_pos, to, to_pos, count, NOT_ASCII)
                : C_DECLINED;
}

static int64_t all_or_none(int64_t written, int32_t count)
{
    return written == C_DECLINED || written == count ? written : 0;
}

int64_t c_compress_chars(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                         int32_t count)
{
    return all_or_none(c_encode_latin1(from, from_pos, to, to_pos, count), count);
}

int64_t c_compress_utf16(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                         int32_t count)
{
    return all_or_none(c_encode_latin1_utf16(from, from_pos, to, to_pos, count), count);
}

int64_t c_has_negatives(const Object *a, int32_t from, int32_t count)
{
    if (!a || !in_range(array_length(a), from, count))
        return C_DECLINED;
    const uint8_t *p = bytes_of(a) + from, *end = p + count;
    uint64_t x, signs = 0x8080808080808080;
    for (; end - p >= (ptrdiff_t)sizeof x; p += sizeof x) {
        memcpy(&x, p, sizeof x);
        if (x & signs)
            return 1;
    }
    while (p < end)
        if (*p++ & 0x80)
            return 1;
    return 0;
}
