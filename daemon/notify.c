// SPDX-License-Identifier: GPL-3.0-or-later
// The service manager's notification protocol, one datagram a message.
#include "daemon/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(addr.sun_path) ||
	    (*path != '/' && *path != '@'))
		return;
	memcpy(addr.sun_path, path, len);
	if (*path == '@') /* an abstract name */
		addr.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
	       (struct sockaddr *)&addr,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}
