// SPDX-License-Identifier: Apache-2.0
// The page's server: HTTP on 127.0.0.1 alone, behind a token and a cookie.
//
// Who asks must name us in Host (against DNS rebinding), come from us by Origin and Sec-Fetch-Site where the browser says them, and hold
// the cookie, which the address with the token gives once. No CORS header is ever sent. /metrics also takes the token as a bearer's.
#ifndef LENS_HTTP_H
#define LENS_HTTP_H

#include "query.h"

typedef struct Http Http;
// port 0: any. NULL: errno says why. It tells pages of the session's changes (it takes Session.changed).
Http *http_start(Session *session, uint16_t port);
void http_stop(Http *http);
// The address with a fresh token, to be freed; tokens given before are no longer taken.
char *http_address(Http *http);
uint16_t http_port(const Http *http);

#endif
