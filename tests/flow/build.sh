#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The build worker from outside: killed, stopped, started twice, given nonsense.
# A tiny tree whose Makefile plays kbuild's part stands in for a kernel.
set -u
build=$DROVER_BUILD/libexec/drover-build
[ -x "$build" ] || { echo "1..0 # SKIP drover-build is not built"; exit 0; }
tmp=$(mktemp -d)
worker=
cleanup() {
	[ -z "$worker" ] || kill -9 "$worker" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

n=0
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		tail -n 5 "$tmp/why" 2>/dev/null | sed 's/^/# /'
	fi
}
echo "1..18"

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
repo=$tmp/repo
mkdir "$repo"
git -C "$repo" init -q -b main
# a number of this test alone, to find its processes by
secs=3$(($$ % 900 + 100))
cat >"$repo/Makefile" <<'EOF'
include hook.mk
allnoconfig:
	@mkdir -p $(O)
	@cp $$KCONFIG_ALLCONFIG $(O)/.config
bzImage: hook
	@mkdir -p $(O)/arch/x86/boot
	@echo '  CC      main.o'
	@cd $(O) && $(CC) $(KCFLAGS) -c ../main.c -o main.o
	@cd $(O) && $(CC) -nostdlib -static -Wl,--build-id=sha1,-e,main main.o $(EXTRA) -o vmlinux
	@cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage
	@echo map >$(O)/System.map
EOF
echo 'int main(void) { return 0; }' >"$repo/main.c"
save() { git -C "$repo" add -A; git -C "$repo" commit -q -m "$1"; git -C "$repo" tag "$1"; }
echo 'hook:' >"$repo/hook.mk"
save good
printf 'hook:\n\t@test -e %s/go || sleep %s\n' "$tmp" "$secs" >"$repo/hook.mk"
save slow
# a file that takes in another one, which changes without its size, as the
# compressed kernel does
printf '.section .rodata\n.incbin "blob"\n' >"$repo/piggy.S"
printf 'EXTRA = piggy.o\nhook:\n\t@%s && %s\n' 'cd $(O) && cp ../blob blob' \
	'$(CC) -Wp,-MMD,piggy.d -c ../piggy.S -o piggy.o' >"$repo/hook.mk"
echo image-one >"$repo/blob"
save incbin-one
echo image-two >"$repo/blob"
save incbin-two
# an image that an older build left, beside a vmlinux that is new
printf 'hook:\n' >"$repo/hook.mk"
sed -i 's|^\t@cp .*bzImage$|\t@cp /bin/true $(O)/arch/x86/boot/bzImage|' "$repo/Makefile"
save stale
echo 'CONFIG_A=y' >"$tmp/kconfig"

# task NAME REV: a task folder as droverd leaves it
task() {
	mkdir "$tmp/$1"
	cat >"$tmp/$1/task.json" <<EOF
{"kind": "build", "attempt": 1, "token": "t", "repo": "$repo",
 "commit": "$(git -C "$repo" rev-parse "$2^{commit}")",
 "tree": "$(git -C "$repo" rev-parse "$2^{tree}")",
 "kconfig": ["$tmp/kconfig"], "slot_dir": "$tmp/slot",
 "artifact_dir": "$tmp/artifacts", "jobs": 1}
EOF
}
# has NAME TEXT: whether the result holds this text
has() {
	cp "$tmp/$1/result.json" "$tmp/why" 2>/dev/null || return 1
	grep -qF "$2" "$tmp/$1/result.json"
}
sleeping() { pgrep -f "^sleep $secs\$" >/dev/null; }
awake() { ! sleeping; }
wait_for() {
	for _ in $(seq 300); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}

task one good
"$build" "$tmp/one"
ok $? "a build ends well"
has one '"status": "done"' && has one '"cached": false' && has one '"build_id"'
ok $? "its result says so"
before=$(sha256sum "$tmp/one/result.json")
"$build" "$tmp/one" && [ "$before" = "$(sha256sum "$tmp/one/result.json")" ]
ok $? "a finished task is not repeated"

task two slow
"$build" "$tmp/two" &
worker=$!
wait_for sleeping
ok $? "a slow build runs"
"$build" "$tmp/two" 2>"$tmp/why"
[ $? -eq 75 ]
ok $? "a second worker for the same task goes away"
cut -f1 "$tmp/two/progress" | grep -q compile
ok $? "progress tells the stage"
kill -9 "$worker"
wait "$worker" 2>/dev/null
worker=
wait_for awake
ok $? "make dies with a killed worker"
[ ! -e "$tmp/two/result.json" ]
ok $? "a killed worker leaves no result"
touch "$tmp/go"
"$build" "$tmp/two" && has two '"status": "done"'
ok $? "the task can be taken again, in the same slot"
rm "$tmp/go"

rm -rf "$tmp/artifacts"
task three slow
"$build" "$tmp/three" &
worker=$!
wait_for sleeping
kill -TERM "$worker"
wait "$worker"
worker=
has three '"kind": "infra"' && has three 'told to stop'
ok $? "SIGTERM ends a build as no fault of the commit"
awake
ok $? "nothing of it goes on"

touch "$tmp/canary"
task four good
sed -i "s|$tmp/kconfig|/no/such/\$(rm $tmp/canary)|" "$tmp/four/task.json"
"$build" "$tmp/four"
has four '"status": "failed"' && [ -e "$tmp/canary" ]
ok $? "shell text in a path stays text"

echo '{"kind": "build"' >"$tmp/four/task.json"
rm "$tmp/four/result.json"
"$build" "$tmp/four" 2>"$tmp/why"
[ $? -eq 2 ] && grep -q 'task.json:' "$tmp/why"
ok $? "a broken task file is refused with its place"

"$build" "$tmp/nowhere" 2>"$tmp/why"
[ $? -eq 2 ] && grep -q nowhere "$tmp/why"
ok $? "a missing task is refused by name"
"$build" 2>"$tmp/why"
[ $? -eq 2 ] && grep -q usage "$tmp/why"
ok $? "no argument gives the usage"

for rev in one two; do
	task "incbin-$rev" "incbin-$rev"
	sed -i "s|{\"kind\"|{\"ccache\": true, \"ccache_dir\": \"$tmp/cc\", &|;
		s|{\(\"ccache.*\){|{\1|" "$tmp/incbin-$rev/task.json"
	"$build" "$tmp/incbin-$rev" 2>"$tmp/why"
done
cat "$tmp/incbin-two/log" >>"$tmp/why" 2>/dev/null
grep -ql image-one "$tmp"/artifacts/*/bzImage &&
	grep -ql image-two "$tmp"/artifacts/*/bzImage
ok $? "a cached compile takes in the new file, not an older one"

task stale stale
"$build" "$tmp/stale"
has stale '"kind": "infra"' && has stale 'holds another kernel than vmlinux'
ok $? "an image of another kernel is no fault of the commit"
! has stale '"cached"' && ! grep -ql "$(git -C "$repo" rev-parse stale^{tree})" \
	"$tmp"/artifacts/*/meta.json
ok $? "and is not kept"
