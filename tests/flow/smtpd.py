# SPDX-License-Identifier: GPL-3.0-or-later
"""A mail server with moods, for tests: smtpd.py FOLDER [strict] [port N]
[tls CERT KEY]

Listens on a loopback port, a free one without N, and writes it to FOLDER/port;
each message it takes goes to FOLDER/N.eml with the envelope's recipients in
FOLDER/N.rcpt. What a recipient's name begins with decides: bad 550, later 451
the first time, drop takes the message and breaks the connection before
answering the first time, spam 554 after DATA, hang never answers. "strict"
offers no 8BITMIME and refuses 8-bit bytes; a sender that begins with "nobody"
is refused.
"""
import asyncio
import os
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

folder = sys.argv[1]
strict = "strict" in sys.argv
tls = None
if "tls" in sys.argv:
    at = sys.argv.index("tls")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(sys.argv[at + 1], sys.argv[at + 2])
port = int(sys.argv[sys.argv.index("port") + 1]) if "port" in sys.argv else 0
seen = set()
count = 0


def first(name):
    new = name not in seen
    seen.add(name)
    return new


class Handler:
    async def handle_EHLO(self, server, session, envelope, hostname, replies):
        session.host_name = hostname
        return [r for r in replies if not strict or "8BITMIME" not in r]

    async def handle_MAIL(self, server, session, envelope, address, options):
        if strict and any("8BITMIME" in o for o in options):
            return "555 no such option"
        if address.startswith("nobody"):
            return "550 5.7.1 sender unknown here"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("bad"):
            return "550 5.1.1 no such user"
        if address.startswith("later") and first(address):
            return "451 4.7.1 greylisted, come back"
        if address.startswith("hang"):
            await asyncio.sleep(3600)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        global count
        if strict and any(b > 126 for b in envelope.content):
            return "554 5.6.1 eight bits"
        if envelope.rcpt_tos[0].startswith("spam"):
            return "554 5.7.1 content refused"
        count += 1
        with open(f"{folder}/{count}.rcpt", "w") as f:
            f.write("\n".join(envelope.rcpt_tos) + "\n")
        with open(f"{folder}/{count}.eml", "wb") as f:
            f.write(envelope.content)
        if envelope.rcpt_tos[0].startswith("drop") and first("drop"):
            server.transport.abort()
            return "421 gone"
        return "250 OK"


def login(server, session, envelope, mechanism, data):
    return AuthResult(success=data.password == b"right word", handled=False)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Handler(), hostname="mx.example.org", tls_context=tls,
                     authenticator=login, auth_require_tls=False),
        "127.0.0.1", port)
    with open(f"{folder}/port.new", "w") as f:
        f.write(str(server.sockets[0].getsockname()[1]))
    os.rename(f"{folder}/port.new", f"{folder}/port")
    await server.serve_forever()


asyncio.run(main())
