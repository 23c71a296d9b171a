// SPDX-License-Identifier: Apache-2.0
// C functions that stand for methods of the class library in compiled code (spec/intrinsics.def). Their arguments are those of the
// methods: references raw, null if the method may be given that; what is narrower than an int comes as one. They do not collect, poll,
// throw or look at frames, allocate in the thread's buffer alone, and take no longer than for C_MOST_BYTES: what is more, or is to throw, they decline, having changed nothing
// but what the method would have changed, too. Thread-safe, NO_GC.
#ifndef JIT_C_FUNCTIONS_H
#define JIT_C_FUNCTIONS_H

#include "heap/object.h"
#include "thread/slices.h"

// No result of a method that gives an int.
#define C_DECLINED INT64_MIN
enum { C_MOST_BYTES = SLICE_BYTES };

int64_t c_arraycopy(Object *from, int32_t from_pos, Object *to, int32_t to_pos, int32_t length);
Object *c_clone_array(const Object *a); // NULL: the method is to be called
int32_t c_identity_hash(Object *o);
int32_t c_is_primitive(const Object *mirror);
int32_t c_is_instance(const Object *mirror, const Object *o);

// ---- java.lang.StringLatin1: a byte a character; StringUTF16: two, in byte[], positions are of characters ----
int64_t c_bytes_equal(const Object *a, const Object *b);
int64_t c_latin1_compare(const Object *a, const Object *b);
int64_t c_latin1_hash(const Object *a);
int64_t c_latin1_index_of_char(const Object *a, int32_t ch, int32_t from, int32_t end);
int64_t c_latin1_index_of(const Object *a, int32_t count, const Object *part,
                          int32_t part_count, int32_t from);
int64_t c_latin1_inflate_chars(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                               int32_t count);
int64_t c_utf16_equal(const Object *a, const Object *b);
int64_t c_utf16_compare(const Object *a, const Object *b);
int64_t c_utf16_hash(const Object *a);
int64_t c_utf16_index_of_char(const Object *a, int32_t ch, int32_t from, int32_t end);
int64_t c_utf16_inflate(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                        int32_t count);
int64_t c_utf16_get_chars(const Object *from, int32_t begin, int32_t end, Object *to,
                          int32_t to_pos);

// ---- coding: how many characters were written before the first that does not fit; compress: 0 if there is one ----
int64_t c_compress_chars(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                         int32_t count);
int64_t c_compress_utf16(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                         int32_t count);
int64_t c_encode_latin1(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                        int32_t count);
int64_t c_encode_latin1_utf16(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                              int32_t count);
int64_t c_encode_ascii(const Object *from, int32_t from_pos, Object *to, int32_t to_pos,
                       int32_t count);
int64_t c_has_negatives(const Object *a, int32_t from, int32_t count);

// jdk.internal.util.ArraysSupport.vectorizedMismatch; leaves no tail.
int64_t c_mismatch(const Object *a, int64_t a_offset, const Object *b, int64_t b_offset,
                   int32_t count, int32_t shift);

// ---- java.math.BigInteger, up to 512 words: each but mul_add, which gives the carry, gives 0 and its result is in the last array ----
int64_t c_montgomery_multiply(const Object *a, const Object *b, const Object *n, int32_t words,
                              int64_t inverse, Object *product);
int64_t c_montgomery_square(const Object *a, const Object *n, int32_t words, int64_t inverse,
                            Object *product);
int64_t c_square_to_len(const Object *x, int32_t words, Object *z, int32_t z_words);
int64_t c_mul_add(Object *out, const Object *in, int32_t offset, int32_t count, int32_t factor);

// ---- sun.security.provider: a block of the bytes is added to the state of SHA, SHA2, SHA5; they give 0 ----
int64_t c_sha1(Object *state, const Object *bytes, int32_t offset);
int64_t c_sha256(Object *state, const Object *bytes, int32_t offset);
int64_t c_sha512(Object *state, const Object *bytes, int32_t offset);

// ---- com.sun.crypto.provider: AESCrypt, CounterMode, GHASH; the counter mode gives the count, the others 0 ----
int64_t c_aes_encrypt(const Object *cipher, const Object *in, int32_t from, Object *out,
                      int32_t to);
int64_t c_aes_decrypt(const Object *cipher, const Object *in, int32_t from, Object *out,
                      int32_t to);
int64_t c_counter_crypt(const Object *mode, const Object *in, int32_t from, int32_t count,
                        Object *out, int32_t to);
int64_t c_ghash(const Object *in, int32_t from, int32_t blocks, Object *state,
                const Object *factor);

#endif
