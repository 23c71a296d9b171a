// SPDX-License-Identifier: Apache-2.0
// Variables and results as the texts of a record.
#include "points.h"

#include <string.h>

bool points_local(jthread thread, const PointVariable *v, ExprValue *value)
{
    jvmtiEnv *j = lens.jvmti;
    jvalue got = {0};
    jint i = 0;
    jvmtiError error;
    switch (v->type) {
    case 'J': error = (*j)->GetLocalLong(j, thread, 0, v->slot, &got.j); break;
    case 'F': error = (*j)->GetLocalFloat(j, thread, 0, v->slot, &got.f); break;
    case 'D': error = (*j)->GetLocalDouble(j, thread, 0, v->slot, &got.d); break;
    case 'L':
    case '[': error = (*j)->GetLocalObject(j, thread, 0, v->slot, &got.l); break;
    default: // the narrow types are an int in their slot
        error = (*j)->GetLocalInt(j, thread, 0, v->slot, &i);
        *value = (ExprValue){.kind = v->type == 'Z'   ? EXPR_BOOL
                                     : v->type == 'C' ? EXPR_CHAR
                                                      : EXPR_LONG,
                             .number = i};
        return error == JVMTI_ERROR_NONE;
    }
    *value = expr_of_jvalue(v->type, got);
    return error == JVMTI_ERROR_NONE;
}

static void put(PointValues *values, const char *text, size_t len)
{
    values->len += lens_varint(values->bytes + values->len, len);
    memcpy(values->bytes + values->len, text, len);
    values->len += len;
    assert(values->len <= POINT_VALUES_BYTES);
}

void points_values_text(PointValues *values, const char *name, const char *text)
{
    size_t name_len = strlen(name), len = strlen(text);
    size_t lengths = 6; // of both lengths as varints
    if (values->n == POINT_VALUES_MAX
        || values->len + name_len + len + lengths > POINT_VALUES_BYTES)
        return;
    put(values, name, name_len);
    put(values, text, len);
    values->n++;
}

void points_values_add(PointValues *values, ExprScope *scope, const char *name, ExprValue value)
{
    char bytes[POINT_VALUE_BYTES] = "";
    ExprText text = {bytes, 0, sizeof bytes, false};
    expr_text_value(&text, scope, value, false);
    points_values_text(values, name, bytes);
}

void points_values_variables(PointValues *values, ExprScope *scope, jthread thread,
                             const PointVariables *variables, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        ExprValue value;
        if (points_local(thread, &variables->list[i], &value))
            points_values_add(values, scope, variables->list[i].name, value);
    }
}

static size_t take_length(const uint8_t *bytes, size_t *at)
{
    assert(*at < POINT_VALUES_BYTES);
    size_t len = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        len |= (size_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return len;
    }
}

void points_values_put(const PointValues *values, LensRecord *record)
{
    lens_put_u(record, values->n);
    for (size_t at = 0; at < values->len;) {
        size_t len = take_length(values->bytes, &at);
        assert(at + len <= values->len);
        lens_put_s(record, (const char *)values->bytes + at, len);
        at += len;
    }
}
