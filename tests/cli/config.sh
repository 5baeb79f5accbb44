#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover config: sources in their order, a dump that reads back to itself, and
# that the committed example and reference page are current.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
drover=${DROVER_BUILD:-$here/build}/drover
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT INT TERM
unset DROVER_CONFIG DROVER_MAIL_PORT DROVER_STATE_DIR
export XDG_CONFIG_HOME="$tmp/xdg"
n=0
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

mkdir -p "$tmp/xdg/drover"
cat >"$tmp/xdg/drover/drover.yaml" <<Y
state_dir: $tmp/state
mail: {port: 1, to: [a@example.org, "b <b@example.org>"]}
repos:
  - {name: linux, path: $tmp/linux, kconfig: $here/configs/kconfig/lab-slim.config}
Y
"$drover" config >"$tmp/one"
ok $? "the user's file is read"
grep -q 'port: 1$' "$tmp/one" && grep -q "socket: \"$tmp/state/drover.sock\"" "$tmp/one"
ok $? "its values count, and paths follow from state_dir"
DROVER_CONFIG="$tmp/one" "$drover" config >"$tmp/two" && cmp -s "$tmp/one" "$tmp/two"
ok $? "the dump reads back to itself"
"$drover" config --show-origin --set mail.port=3 | grep -q 'port: 3 # flag --set'
ok $? "a flag wins, and is named as the origin"
DROVER_MAIL_PORT=2 "$drover" config --show-origin |
	grep -q 'port: 2 # environment DROVER_MAIL_PORT'
ok $? "the environment wins over the file"
"$drover" config --json | grep -q "\"origin\": *\"$tmp/xdg/drover/drover.yaml\""
ok $? "JSON has the origin"
"$drover" config --set mail.hots=x >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q 'did you mean mail.host?' "$tmp/err"
ok $? "an unknown option is refused with a suggestion"
echo 'mail: {port: x}' >"$tmp/bad.yaml"
DROVER_CONFIG="$tmp/bad.yaml" "$drover" config 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'bad.yaml:1:14: mail.port: "x" is not a whole number' "$tmp/err"
ok $? "a bad value is refused with its place"
"$drover" config --example >"$tmp/example" &&
	DROVER_CONFIG="$tmp/example" "$drover" config >/dev/null
ok $? "the example is a valid file"
cmp -s "$tmp/example" "$here/configs/examples/drover.yaml"
ok $? "configs/examples/drover.yaml is current (drover config --example)"
"$drover" config --reference | cmp -s - "$here/docs/options.md"
ok $? "docs/options.md is current (drover config --reference)"
echo "1..$n"
