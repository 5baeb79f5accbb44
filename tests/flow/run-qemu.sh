#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Boot method qemu without a machine: a program in QEMU's place writes a console
# and serves SSH on the forwarded port, so that each way to fail can be played.
set -u
# shellcheck source=tests/flow/lib/ssh-box
. "${0%/*}/lib/ssh-box"
[ -r /sys/kernel/notes ] || { echo "1..0 # SKIP no /sys/kernel/notes"; exit 0; }

: >"$tmp/kernel"
: >"$tmp/rootfs"
cat >"$tmp/etc/sshd_config" <<EOF
ListenAddress 127.0.0.1
HostKey $tmp/etc/host
AuthorizedKeysFile $tmp/etc/authorized_keys
PidFile none
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin prohibit-password
SetEnv PATH=$tmp/bin:/usr/bin:/bin SHLVL=2
EOF

# What it plays is in $tmp/play.
cat >"$tmp/bin/fake-qemu" <<EOF
#!/bin/sh
console= port=
for arg; do
	case \$arg in
	*hostfwd=tcp:127.0.0.1:*)
		port=\${arg#*hostfwd=tcp:127.0.0.1:}
		port=\${port%%-*}
		;;
	file:*) console=\${arg#file:} ;;
	*path=*console.log*)
		console=\${arg#*path=}
		console=\${console%%,*}
		;;
	esac
done
read -r play <$tmp/play
say() { printf '%s\r\n' "\$*" >>"\$console"; }
serve() {
	$sshd -D -e -p "\$port" -f $tmp/etc/sshd_config 2>>$tmp/sshd.log &
	echo \$! >>$tmp/guests
}
case \$play in
refuse) echo "qemu: could not load kernel: bad magic" >&2; exit 1 ;;
esac
serve
trap 'kill %1 2>/dev/null; kill \$! 2>/dev/null; exit' TERM
[ "\$play" = silent ] || say "Linux version 6.1.0"
case \$play in
panic)
	sleep 0.5
	say "Kernel panic - not syncing: VFS: Unable to mount root fs"
	kill \$!
	exit 0
	;;
silent) sleep 2; kill -STOP \$!; exec sleep 60 ;;
esac
say "Run /init as init process"
say "Server listening on 0.0.0.0 port 22."
while [ ! -e $tmp/crash.flag ]; do sleep 0.2; done
say "BUG: unable to handle page fault for address: 0000000000000010"
say "Kernel panic - not syncing: Fatal exception"
pkill -P \$!
kill \$!
exit 0
EOF
chmod +x "$tmp/bin/fake-qemu"
build_id=$(readelf -n /sys/kernel/notes 2>/dev/null |
	sed -n 's/.*Build ID: //p' | head -n 1)
vm=".kernel = \"$tmp/kernel\" | .build_id = \"$build_id\" |
	.boot_timeout_s = 20 | .box.boot = {method: \"qemu\",
	qemu: \"$tmp/bin/fake-qemu\", rootfs: \"$tmp/rootfs\"} | .box.port = 0"
# The machine is killed with SIGKILL, so its sshd stays behind.
end_guests() {
	while read -r pid; do
		pkill -9 -P "$pid"
		kill -9 "$pid"
	done 2>/dev/null <"$tmp/guests"
	: >"$tmp/guests"
}
: >"$tmp/guests"
trap 'end_guests; cleanup' EXIT

echo good >"$tmp/mode"
echo good >"$tmp/play"
do_task good "$vm | .runs = 2"
has good '.status == "done" and (.runs | length) == 2 and
	.boot.invariants.simulated == "emulation" and
	(.boot.build_id | length) > 8'
ok $? "a machine is started, measured and said to be emulated"

fails build boot "not 00ff00ff: another kernel booted" \
	"another build than the one under test is no sample" \
	"$vm | .build_id = \"00ff00ff\""
echo panic >"$tmp/play"
fails panic boot "last console line: Kernel panic - not syncing: VFS" \
	"a kernel that panics: its last words" "$vm"
has panic '.message | contains("box lo: kernel 0123456789ab did not reach SSH")'
ok $? "the sentence names box and kernel"
echo silent >"$tmp/play"
fails silent boot "its console is silent" "a kernel that says nothing" \
	"$vm | .boot_timeout_s = 6"
echo refuse >"$tmp/play"
fails refuse infra "bad magic" \
	"QEMU's own failure is infrastructure, with its words" "$vm"

# The kernel crashes under the second run: that run failed, the first counts.
echo good >"$tmp/play"
echo slow 5 >"$tmp/mode"
: >"$tmp/called"
task crash "$vm | .runs = 3"
"$run" "$tmp/crash" &
worker=$!
twice() { [ "$(wc -l <"$tmp/called")" -ge 2 ]; }
wait_for twice
sleep 1
: >"$tmp/crash.flag"
wait "$worker"
{ cat "$tmp/crash/log"; jq -c 'del(.boot, .hw) | del(.runs[]?.metrics)' \
	"$tmp/crash/result.json"; } >"$tmp/why"
has crash '.status == "done" and (.runs | length) == 2 and
	.runs[0].status == "done" and .runs[1].status == "failed"'
ok $? "a crash under the second run ends the boot, the first run counts"
has crash '(.runs[1].why | contains("crashed under the benchmark")) and
	(.runs[1].failures | index("last_state.kernel_crash")) != null'
ok $? "the failed run says that the kernel crashed"
echo "1..$n"
