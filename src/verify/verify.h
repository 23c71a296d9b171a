// SPDX-License-Identifier: Apache-2.0
// The type-checking verifier (JVMS 4.10.1) with the static constraints of 4.9.1, for class
// files of version 50 and later. Pure: knows classes only by name and asks the caller about
// their relations. Versions below 50 have no StackMapTable and are not for this verifier.
//
// Version 50 falls back to the old verifier when this one says VERIFY_ERROR or
// VERIFY_FORMAT_ERROR; later ones may not.
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "classfile/classfile.h"

typedef enum VerifyStatus {
    VERIFY_OK,
    VERIFY_ERROR,        // throw java.lang.VerifyError(message)
    VERIFY_FORMAT_ERROR, // throw java.lang.ClassFormatError(message)
    VERIFY_MAP_ERROR,    // the same: StackMapTable cannot be read, also of version 50 fatal
    VERIFY_PENDING,      // a callback answered -1: an exception is pending; message is empty
} VerifyStatus;

// What only the caller knows. The callbacks may load classes, run Java code and collect. They
// answer 1 for yes, 0 for no, -1 when an exception is pending. Names are internal
// ("java/lang/String"), not NUL-terminated, and may be the name of the class
// that is being verified itself (which then means that class, also when it is hidden).
typedef struct VerifyContext {
    void *ctx;
    // Whether a value of class `from` may stand where `to` is wanted: `to` is an interface, or
    // `from` is `to` or a subclass of it. Loads `to`, and `from` unless `to` is an interface.
    // Never asked for equal names or `to` java/lang/Object. `from` may be the name of an array
    // class, which loads `to` all the same and answers 0.
    int (*is_assignable)(void *ctx, Bytes from, Bytes to);
    // Whether `cls` names a proper superclass of the verified class, and the lookup of the
    // member in it (superclasses included) finds a protected one whose declaring class is in
    // another run-time package than the verified class (JVMS 4.10.1.8). Loads nothing when
    // `cls` is not the name of a superclass. No such member: 0.
    int (*is_protected_elsewhere)(void *ctx, Bytes cls, Bytes name, Bytes descriptor,
                                  bool is_method);
} VerifyContext;

// Verifies all methods of cf (from classfile_parse, any check_format). `class_name`:
// internal ("p/A$B", of a hidden class "p/A+0x0123", which is_assignable is asked of, too). The
// message has HotSpot's shape, several lines, NUL-terminated, cut to the size given (4096 is
// plenty). At most one -1 is asked for: verification stops there.
VerifyStatus verify_class(const ClassFile *cf, const char *class_name, const VerifyContext *cx,
                          char *message, size_t message_size);

#endif
