#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover-run against a private sshd on loopback, boot method none: good runs,
# and every bad input with its sentence.
set -u
# shellcheck source=tests/flow/lib/ssh-box
. "${0%/*}/lib/ssh-box"

# A box without the benchmark, and one whose shell and tools are busybox's.
mkdir -p "$tmp/busybox"
busybox --install -s "$tmp/busybox" 2>/dev/null
start_box host "$tmp/busybox"
bare_port=$port
start_box host "$tmp/bin:$tmp/busybox"
ash_port=$port
start_box host "$tmp/bin:/usr/bin:/bin"

# --- a good run --------------------------------------------------------------

echo good >"$tmp/mode"
do_task good '.runs = 3'
ok $? "a task of three runs ends with a result"
has good '.status == "done" and (.runs | length == 3) and
	all(.runs[]; .status == "done")'
ok $? "all three runs are done"
has good '.runs[2].seq == 2 and .runs[2].started_s > 1e9 and
	(.runs[0].metrics | length) > 50'
ok $? "a run has its number, its time and its metrics"
has good '.runs[0].metrics["stress-ng.pipe.ops_per_sec"] == 123000'
ok $? "the benchmark's own figure is among them"
has good '(.boot.boot_id | test("^[0-9a-f-]{36}$")) and
	.boot.invariants.cmdline != null and .hw.nr_cpus >= 1 and
	.hw.nodes >= 1 and .hw.memory_kib > 1000'
ok $? "boot, invariants and hardware are reported"
grep -q -- '--pipe 2' "$tmp/called"
ok $? "the job's options reached the benchmark"
[ ! -e "$tmp/box/claim" ] && [ -z "$(ls -d "$tmp"/box/a-* 2>/dev/null)" ]
ok $? "nothing of the attempt is left on the box"
"$run" "$tmp/good"
ok $? "the same task again changes nothing"

do_task ash ".box.port = $ash_port"
has ash '.status == "done" and (.runs[0].metrics | length) > 50'
ok $? "busybox ash and its tools do on the box"

# Asked once, after two seconds, and only where there is a choice.
case $(cat /sys/devices/system/cpu/online 2>/dev/null) in
*[,-]*)
	echo slow 5 >"$tmp/mode"
	do_task nodes ".box.port = $ash_port"
	has nodes '.status == "done" and
		(.boot.invariants.task_nodes | test("^[0-9]+( [0-9]+)*$"))'
	ok $? "the NUMA nodes of the test's tasks are recorded"
	echo good >"$tmp/mode"
	;;
*) ok 0 "the NUMA nodes of the test's tasks # SKIP one CPU" ;;
esac
has good '.boot.invariants.memory_kib == .hw.memory_kib and
	(.boot.invariants | has("throttled_in_runs") == has("throttled"))'
ok $? "what is counted is counted again after the runs"

# --- bad inputs, one sentence each -------------------------------------------

fails refused infra "box lo: no SSH at 127.0.0.1 port 1 within 1 s" \
	"an unreachable box is named with its address" \
	'.box.port = 1 | .connect_timeout_s = 1'
tail_lines=$(wc -l <"$tmp/sshd.log.$port")
fails wrong_key infra "host key is SHA256:" "a wrong host key is refused" \
	".box.host_key = \"$(cat "$tmp/etc/other.pub")\""
has wrong_key ".message | contains(\"$(ssh-keygen -l -f "$tmp/etc/host.pub" |
	cut -d' ' -f2)\") and contains(\"$(ssh-keygen -l -f "$tmp/etc/other.pub" |
	cut -d' ' -f2)\")"
ok $? "both fingerprints are in the sentence, as ssh-keygen prints them"
! tail -n "+$((tail_lines + 1))" "$tmp/sshd.log.$port" |
	grep -qiE 'accepted|failed|publickey|invalid user'
ok $? "no login was attempted at the box with the wrong key"
fails rsa_pin data "other key types are not supported" "a pinned RSA key is refused with a way out" \
	".box.host_key = \"$(cat "$tmp/etc/rsa.pub")\""
fails rsa_id config "ssh-keygen -t ed25519" \
	"an RSA identity is refused with a way out" \
	".box.identity = \"$tmp/etc/rsa\""
fails denied infra "authorized_keys" "a refused login says what to add" \
	".box.identity = \"$tmp/etc/other\""
cp "$tmp/etc/id" "$tmp/etc/open" && chmod 644 "$tmp/etc/open"
fails open config "chmod 600" "a readable private key is refused" \
	".box.identity = \"$tmp/etc/open\""
fails missing infra "box lo has no stress-ng (needed by workload stress-ng); install it there" \
	"a missing benchmark is named with what needs it" ".box.port = $bare_port"

echo fail pipe >"$tmp/mode"
fails failing bench "status 3; its last line: no such stressor pipe" \
	"a failing benchmark: exit status and last line" '.runs = 2'
has failing '(.runs | length) == 2 and .runs[1].status == "failed" and
	(.runs[0].metrics | length) > 50'
ok $? "each failed run is reported, with its monitors' metrics"
echo garbage >"$tmp/mode"
fails garbage bench "its last line: stress-ng:" "garbage for output is no result"
! grep -q "$(printf '\033')" "$tmp/garbage/result.json"
ok $? "no escape sequence gets into the result"
echo hang >"$tmp/mode"
fails hanging timeout "did not end within 2 s" \
	"a hanging benchmark is killed and said to hang" '.timeout_s = 2'
! pgrep -f "^sleep $hang_s\$" >/dev/null
ok $? "nothing of it is left"
echo flood >"$tmp/mode"
do_task flood
has flood '.runs[0].failures | index("last_state.output_cut.stdout") != null'
ok $? "a flood of output is cut and marked"
echo good >"$tmp/mode"
fails badspec data "commit is no hex sha" "a task that makes no sense" \
	'.commit = "HEAD; touch canary"'

# --- a full disk ---------------------------------------------------------------

if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/disk" &&
	mount -t tmpfs -o size=1m none "$tmp/disk" 2>/dev/null; then
	head -c 2000000 /dev/zero >"$tmp/disk/ballast" 2>/dev/null
	fails full infra "box lo: no space left under $tmp/disk" \
		"a full disk on the box is infrastructure" \
		".box.workdir = \"$tmp/disk\""
	rm "$tmp/disk/ballast"
	echo flood >"$tmp/mode"
	fails filling infra "no space left under $tmp/disk for the output" \
		"a disk that fills up during a run is, too" \
		".box.workdir = \"$tmp/disk\""
	umount "$tmp/disk"
	echo good >"$tmp/mode"
else
	ok 0 "a full disk on the box # SKIP can't mount a tmpfs"
	ok 0 "a disk that fills up during a run # SKIP can't mount a tmpfs"
fi

echo "1..$n"
