// SPDX-License-Identifier: GPL-3.0-or-later
// SMTP through libcurl: upload of finished bytes, one recipient at a time.
#include "daemon/smtp.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CONNECT_TIMEOUT_S 20L
#define VERB_BYTES	  12
#define MAX_PORT	  65535

struct smtp {
	CURL *curl;
	const struct smtp_server *server;
	/* of the exchange that is going on */
	const struct str *message;
	size_t read_bytes;
	char verb[VERB_BYTES]; /* last command sent, QUIT apart */
	bool leaving;	       /* libcurl says QUIT by itself after trouble */
	char line[256];	       /* last reply line */
	char curl_text[CURL_ERROR_SIZE];
};

enum smtp_fate smtp_judge(bool sent, const char *verb, long code)
{
	bool about_rcpt = !strcmp(verb, "RCPT") || !strcmp(verb, "DATA");

	if (sent)
		return SMTP_ACCEPTED;
	if (about_rcpt && code >= 500 && code < 600)
		return SMTP_REFUSED;
	/* 421 is "closing down": the next recipient would hear it again */
	if (about_rcpt && code != 421)
		return SMTP_LATER;
	return SMTP_DOWN;
}

static size_t on_read(char *to, size_t size, size_t nr, void *ctx)
{
	struct smtp *s = ctx;
	size_t n = s->message->len - s->read_bytes;

	if (n > size * nr)
		n = size * nr;
	memcpy(to, s->message->p + s->read_bytes, n);
	s->read_bytes += n;
	return n;
}

/* Each reply line of the server comes here. */
static size_t on_reply(char *data, size_t size, size_t nr, void *ctx)
{
	struct smtp *s = ctx;
	struct str line = STR_INIT;
	char *raw = xstrndup(data, size * nr);

	line.max_bytes = sizeof(s->line) - 1;
	raw[strcspn(raw, "\r\n")] = '\0';
	str_add_term(&line, raw, false);
	if (!s->leaving)
		memcpy(s->line, line.p, line.len + 1);
	free(raw);
	str_release(&line);
	return size * nr;
}

/* Of what is sent only the command word is kept: the rest may be a secret. */
static int on_trace(CURL *curl, curl_infotype type, char *data, size_t len,
		    void *ctx)
{
	struct smtp *s = ctx;
	size_t n = 0;

	(void)curl;
	if (type != CURLINFO_HEADER_OUT)
		return 0;
	while (n < len && n < VERB_BYTES - 1 && isupper((unsigned char)data[n]))
		n++;
	if (n < 4 || (n < len && !isspace((unsigned char)data[n])))
		return 0;
	s->leaving = n == 4 && !memcmp(data, "QUIT", n);
	if (!s->leaving) {
		memcpy(s->verb, data, n);
		s->verb[n] = '\0';
	}
	return 0;
}

/* "127.x.x.x", "::1" or "localhost". */
static bool is_loopback(const char *host)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return !strcmp(host, "localhost");
}

static bool is_host_name(const char *host)
{
	const char *p;

	for (p = host; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("-.:", *p))
			return false;
	}
	return *host && *host != '-';
}

static int check_server(const struct smtp_server *server, struct err *err)
{
	if (!is_host_name(server->host))
		return err_set(err, ERR_CONFIG,
			       "mail.host \"%s\": expected a host name or an "
			       "address",
			       server->host);
	if (server->port < 1 || server->port > MAX_PORT)
		return err_set(err, ERR_CONFIG,
			       "mail.port %ld: expected 1 to %d", server->port,
			       MAX_PORT);
	if (strcmp(server->tls, "none") != 0 &&
	    strcmp(server->tls, "starttls") != 0 &&
	    strcmp(server->tls, "tls") != 0)
		return err_set(err, ERR_CONFIG,
			       "mail.tls \"%s\": expected none, starttls or "
			       "tls",
			       server->tls);
	if (*server->user && !strcmp(server->tls, "none") &&
	    !is_loopback(server->host))
		return err_set(err, ERR_CONFIG,
			       "mail.user is set but mail.tls is none: the "
			       "password would reach %s unencrypted; set "
			       "mail.tls to starttls or tls",
			       server->host);
	return 0;
}

static void set_url(CURL *curl, const struct smtp_server *server)
{
	bool v6 = strchr(server->host, ':') != NULL;
	char *url = xasprintf("%s://%s%s%s:%ld",
			      strcmp(server->tls, "tls") ? "smtp" : "smtps",
			      v6 ? "[" : "", server->host, v6 ? "]" : "",
			      server->port);

	curl_easy_setopt(curl, CURLOPT_URL, url);
	free(url);
}

static void set_up(struct smtp *s)
{
	const struct smtp_server *server = s->server;
	CURL *c = s->curl;

	set_url(c, server);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	/* nothing of the environment may send our mail elsewhere */
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, server->timeout_s);
	curl_easy_setopt(c, CURLOPT_SERVER_RESPONSE_TIMEOUT, server->timeout_s);
	curl_easy_setopt(c, CURLOPT_USE_SSL,
			 (long)(strcmp(server->tls, "starttls")
					? CURLUSESSL_NONE
					: CURLUSESSL_ALL));
	if (*server->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, server->ca_file);
	if (*server->user) {
		curl_easy_setopt(c, CURLOPT_USERNAME, server->user);
		curl_easy_setopt(c, CURLOPT_PASSWORD, server->password);
	}
	curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(c, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(c, CURLOPT_READDATA, s);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_reply);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, s);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, s->curl_text);
	curl_easy_setopt(c, CURLOPT_DEBUGFUNCTION, on_trace);
	curl_easy_setopt(c, CURLOPT_DEBUGDATA, s);
	curl_easy_setopt(c, CURLOPT_VERBOSE, 1L);
}

int smtp_open(const struct smtp_server *server, struct smtp **out,
	      struct err *err)
{
	struct smtp *s;
	int rc = check_server(server, err);

	if (rc)
		return rc;
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return err_set(err, ERR_IO, "libcurl doesn't start");
	s = xcalloc(1, sizeof(*s));
	s->server = server;
	s->curl = curl_easy_init();
	if (!s->curl) {
		free(s);
		return err_set(err, ERR_IO, "libcurl doesn't start");
	}
	set_up(s);
	*out = s;
	return 0;
}

void smtp_close(struct smtp **s)
{
	if (!*s)
		return;
	curl_easy_cleanup((*s)->curl);
	free(*s);
	*s = NULL;
	curl_global_cleanup();
}

static void explain_down(const struct smtp *s, CURLcode rc,
			 struct smtp_reply *out)
{
	const struct smtp_server *server = s->server;
	const char *detail =
		*s->curl_text ? s->curl_text : curl_easy_strerror(rc);
	const char *what = "the exchange broke off";

	if (rc == CURLE_COULDNT_CONNECT || rc == CURLE_COULDNT_RESOLVE_HOST)
		what = "no connection; check that it runs, and mail.host and "
		       "mail.port";
	else if (rc == CURLE_OPERATION_TIMEDOUT)
		what = "no answer in time";
	else if (rc == CURLE_PEER_FAILED_VERIFICATION)
		what = "its certificate is not trusted";
	else if (rc == CURLE_USE_SSL_FAILED)
		what = "it offers no STARTTLS, but mail.tls demands it";
	else if (rc == CURLE_LOGIN_DENIED)
		what = "it refuses the login (mail.user, mail.password_file)";
	else if (!strcmp(s->verb, "MAIL"))
		what = "it refuses the sender (mail.from)";
	if (out->code >= 400)
		detail = s->line;
	snprintf(out->text, sizeof(out->text), "mail server %.100s:%ld: %s: %s",
		 server->host, server->port, what, detail);
}

void smtp_send(struct smtp *s, const char *from, const char *rcpt,
	       const struct str *message, struct smtp_reply *out)
{
	struct curl_slist *list = curl_slist_append(NULL, rcpt);
	CURL *c = s->curl;
	CURLcode rc;

	s->message = message;
	s->read_bytes = 0;
	s->verb[0] = s->line[0] = s->curl_text[0] = '\0';
	s->leaving = false;
	curl_easy_setopt(c, CURLOPT_MAIL_FROM, from);
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT, list);
	curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)message->len);
	rc = curl_easy_perform(c);
	out->code = 0;
	if (*s->line)
		curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &out->code);
	/* a broken connection has no reply of its own, only older ones */
	if (rc && out->code < 400)
		out->code = 0;
	out->fate = smtp_judge(rc == CURLE_OK, s->verb, out->code);
	if (out->fate == SMTP_DOWN)
		explain_down(s, rc, out);
	else if (out->code)
		snprintf(out->text, sizeof(out->text), "%s", s->line);
	else
		snprintf(out->text, sizeof(out->text), "%s",
			 *s->curl_text ? s->curl_text : curl_easy_strerror(rc));
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT, NULL);
	curl_slist_free_all(list);
}
