// SPDX-License-Identifier: Apache-2.0
// Sends what is recorded to other systems each ten seconds: CPU profiles to a server that takes Pyroscope's ingestion, metrics to one
// that takes OTLP over HTTP. Plain http only. What fails is said once on standard error and tried again.
#ifndef LENS_PUSH_H
#define LENS_PUSH_H

#include "session.h"

typedef enum PushKind { PUSH_PYROSCOPE, PUSH_OTLP } PushKind;
typedef struct Push Push;
// url: http://host:port, to which /ingest or /v1/metrics is added. NULL: it is no such address.
Push *push_start(Session *session, PushKind kind, const char *url);
void push_stop(Push *push); // NULL: nothing

#endif
