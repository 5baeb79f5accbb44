// SPDX-License-Identifier: GPL-3.0-or-later
// Mail to the lab's operators.
#include "daemon/lab_mail.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rand.h"
#include "daemon/mime.h"
#include "db/db_flow.h"

#define ID_DIGITS	  16
#define SUBJECT_MAX_BYTES ((size_t)200)

static json_t *recipients(const struct daemon *d)
{
	const struct config_list *admin = &d->cfg.mail.admin;
	json_t *to = json_array();
	size_t i;

	for (i = 0; i < admin->nr; i++) {
		struct str addr = STR_INIT;

		if (!mime_address(admin->v[i], &addr, NULL))
			json_array_append_new(to, json_string(admin->v[i]));
		str_release(&addr);
	}
	return to;
}

/* No one else's: unguessable digits at the host of mail.from. */
static void add_id(const struct str *from, struct str *out)
{
	char digits[ID_DIGITS + 1];

	rand_token(digits, ID_DIGITS);
	str_addf(out, "lab-%lld-%s@%s", clock_wall_s(), digits,
		 strchr(from->p, '@') + 1);
}

static int queue(struct daemon *d, const struct db_flow_mail *m,
		 struct err *err)
{
	int rc = db_flow_mail_add(d->db, m, clock_wall_s(), err);

	if (!rc)
		rc = daemon_event(d, m->job_id, "mail", err,
				  "\"%s\" goes to the lab's operators",
				  m->subject);
	return rc;
}

int lab_mail(struct daemon *d, long long job_id, const char *body,
	     struct err *err, const char *subject, ...)
{
	struct db_flow_mail m = { .job_id = job_id };
	json_t *to = recipients(d);
	struct str from = STR_INIT, id = STR_INIT;
	struct str head = STR_INIT, line = STR_INIT, text = STR_INIT;
	json_t *headers = NULL;
	va_list ap;
	int rc = 0;

	if (!d->cfg.mail.enabled || !json_array_size(to) ||
	    mime_address(d->cfg.mail.from, &from, NULL))
		goto out;
	head.max_bytes = SUBJECT_MAX_BYTES;
	str_add(&head, "[drover] ");
	va_start(ap, subject);
	str_vaddf(&head, subject, ap);
	va_end(ap);
	str_add_term(&line, head.p, false);
	str_add_term(&text, body, false);
	str_addch(&text, '\n');
	add_id(&from, &id);
	headers = json_pack("{s:s, s:O, s:[]}", "from", d->cfg.mail.from, "to",
			    to, "cc");
	m.message_id = id.p;
	m.subject = line.p;
	m.body = text.p;
	m.headers = headers;
	rc = queue(d, &m, err);
out:
	json_decref(headers);
	json_decref(to);
	str_release(&from);
	str_release(&id);
	str_release(&head);
	str_release(&line);
	str_release(&text);
	return rc;
}
