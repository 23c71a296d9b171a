// SPDX-License-Identifier: Apache-2.0
// Stacks as JSON.
#ifndef LENS_FRAMES_H
#define LENS_FRAMES_H

#include "query.h"

// {method, class, line, native}
void frames_put_one(const Model *model, Json *json, const ModelFrame *frame);
// key: [frames], the innermost first; into an open object.
void frames_put(const Model *model, Json *json, const char *key, uint32_t stack);

// key: [{name, value}] of Model.values; into an open object.
void values_put(const Model *model, Json *json, const char *key, uint32_t from, uint32_t count);

#endif
