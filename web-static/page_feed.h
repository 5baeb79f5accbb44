/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Atom feed of reports. Pure. */
#ifndef WEB_STATIC_PAGE_FEED_H
#define WEB_STATIC_PAGE_FEED_H

#include "base/json.h"
#include "base/str.h"

/*
 * RFC 4287. @rows: comparisons that ended, newest first, with "page";
 * @base_url: absolute address of the site, ending in '/', or "": ids are
 * "urn:drover:comparison:ID" either way, so that they survive a move.
 * @updated_s: when the newest of them ended.
 */
void page_feed_atom(struct str *out, const json_t *rows, const char *base_url,
		    long long updated_s);

#endif
