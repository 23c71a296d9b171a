// SPDX-License-Identifier: Apache-2.0
// See effect.h.
#include "classfile/effect.h"

// The descriptor of the member that an entry names; empty when it names none.
static Bytes member_descriptor(const ClassFile *cf, uint16_t index)
{
    switch (index < cf->cp_count ? cf_tag(cf, index) : 0) {
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC: return cf_utf8(cf, cf_name_and_type(cf, index).nat.type);
    default: return (Bytes){0};
    }
}

char instruction_constant_kind(const ClassFile *cf, const Instruction *in)
{
    switch (in->constant < cf->cp_count ? cf_tag(cf, in->constant) : 0) {
    case CP_INTEGER: return 'I';
    case CP_FLOAT: return 'F';
    case CP_LONG: return 'J';
    case CP_DOUBLE: return 'D';
    default: break;
    }
    Bytes type = member_descriptor(cf, in->constant);
    const uint8_t *end = type.len && type.p[0] == '(' ? memchr(type.p, ')', type.len) : NULL;
    if (end)
        type = (Bytes){end + 1, type.len - (uint32_t)(end + 1 - type.p)};
    return type.len ? (char)type.p[0] : 'A';
}

uint32_t instruction_pop_words(const ClassFile *cf, const Instruction *in)
{
    if (LIKELY(in->info->pop_words != BY_OPERAND))
        return in->info->pop_words;
    uint32_t words = 0;
    for (const char *p = in->info->pops; *p; p++) {
        if (*p == '(') {
            Bytes type = member_descriptor(cf, in->constant);
            words += descriptor_argument_words((const char *)type.p, type.len);
        } else if (*p == 'N') {
            words += in->count;
        } else {
            words += kind_words(*p == 'V' ? instruction_constant_kind(cf, in) : *p);
        }
    }
    return words;
}
