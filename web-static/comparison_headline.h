/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metric that a verdict is about: its strip plot and all its runs. Pure. */
#ifndef WEB_STATIC_COMPARISON_HEADLINE_H
#define WEB_STATIC_COMPARISON_HEADLINE_H

#include "web-static/comparison_data.h"

/* A section; @d must have a headline. */
void comparison_add_headline(struct str *out, const struct comparison_data *d);

#endif
