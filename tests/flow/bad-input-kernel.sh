#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels that don't build, don't boot, or aren't the one that was asked for.
# A tiny tree whose Makefile plays kbuild's part stands in for a kernel.
LAB_SSH=1
. "${0%/*}/lib/bad-input"

# --- a repository: builds, doesn't build, builds again ---------------------------

export GIT_CONFIG_GLOBAL=/dev/null
git -c init.defaultBranch=main init -q "$dir/repo"
cat >"$dir/repo/Makefile" <<'END'
allnoconfig:
	@mkdir -p $(O)
	@cp $$KCONFIG_ALLCONFIG $(O)/.config
bzImage:
	@mkdir -p $(O)/arch/x86/boot
	@echo '  CC      main.o'
	@cd $(O) && $(CC) $(KCFLAGS) -c ../main.c -o main.o
	@cd $(O) && $(CC) -nostdlib -static -Wl,--build-id=sha1,-e,main main.o -o vmlinux
	@cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage
	@! test -e no-kernel || cp no-kernel $(O)/arch/x86/boot/bzImage
	@echo map >$(O)/System.map
END
save() { git -C "$dir/repo" add -A && commit_as "$1"; }
echo 'int main(void) { return 0; }' >"$dir/repo/main.c"
save 'pipe: as it was'
printf 'int main(void)\n{\n\treturn ring;\n}\n' >"$dir/repo/main.c"
save 'pipe: use the ring'
echo 'int main(void) { return 2; }' >"$dir/repo/main.c"
save 'pipe: fix the build'
# The header of a kernel, and behind it only "stop": cli, hlt, jmp.
"$python" - "$dir/repo/no-kernel" <<'PY'
import sys
image = bytearray(65536)
image[0x1f1] = 4
image[0x1fe:0x20e] = bytes.fromhex("55aa eb6e 48647253 0c02 000000000000")
image[0x211] = 1
image[0x22c:0x230] = bytes.fromhex("ffffff7f")
image[0x270:0x274] = bytes.fromhex("faf4ebfd")
open(sys.argv[1], "wb").write(image)
PY
save 'pipe: an image that is no kernel'
echo 'int main(void) { return 3; }' >"$dir/repo/main.c"
save 'pipe: nor is this one'
git -C "$dir/repo" rev-list --reverse HEAD >"$dir/shas"
: >"$dir/slow"
echo CONFIG_A=y >"$dir/kconfig"
short() { sha "$1" | cut -c1-12; }

# --- boxes -----------------------------------------------------------------------

# This machine's boot_id, as the box "boots" it: the hook gives it another one.
echo "$(cat /proc/sys/kernel/random/boot_id)" >"$tmp/boot_id"
cat >"$tmp/bin/cat" <<END
#!/bin/sh
case \$* in
/proc/sys/kernel/random/boot_id) exec /bin/cat $tmp/boot_id ;;
esac
exec /bin/cat "\$@"
END
chmod +x "$tmp/bin/cat"
lab_boxes 200 5
start_box host "$tmp/bin:/usr/bin:/bin"
moving=$port
start_box host "/usr/bin:/bin"
staying=$port
touch "$dir/rootfs"
ssh_box() {
	cat <<-END
	  - name: $1
	    tbox_group: $1
	    address: 127.0.0.1
	    port: $2
	    user: $(id -un)
	    host_key: $(cut -d' ' -f1,2 "$tmp/etc/host.pub")
	    identity: $tmp/etc/id
	    workdir: $tmp/box-$1
	END
}
{
	echo boxes:
	cat <<-END
	  - name: builds
	    backend: "null"
	    tbox_group: "null"
	    boot: {method: command, reboot: ["true"]}
	    script: {mean: 100000, sd: 200}
	  - name: hangs
	    backend: "null"
	    tbox_group: hangs
	    boot: {method: command, reboot: ["true"]}
	    script: {mean: 100000, sd: 200, fail_at: 0, fail_kind: boot}
	END
	ssh_box same "$moving"
	echo '    boot: {method: command, reboot: ["cp", "/proc/sys/kernel/random/uuid", "'"$tmp/boot_id"'"]}'
	ssh_box silent "$staying"
	echo '    boot: {method: command, reboot: ["true"]}'
	ssh_box refuses "$staying"
	echo '    boot: {method: command, reboot: ["ls", "/no/such/relay"]}'
	cat <<-END
	  - name: vm
	    tbox_group: vm
	    port: 0
	    host_key: $(cut -d' ' -f1,2 "$tmp/etc/host.pub")
	    identity: $tmp/etc/id
	    boot: {method: qemu, rootfs: $dir/rootfs, nodes: 1, cpus: 1, memory_mib: 128}
	END
} >"$dir/lab.yaml"
sed -i "s,^  - {name: tiny.*,  - {name: tiny\, kconfig: $dir/kconfig\, path: $dir/repo\, url: \"https://example.org/tiny.git\"\,," \
	"$dir/drover.yaml"
lab_retry_once
export DROVER_RUN_BOOT_TIMEOUT=6s
lab_start

# submit BOX BASE HEAD
last=0
submit() {
	last=$((last + 1))
	"$drover" submit -q -j "$dir/job.yaml" --box "$1" --pairs 1 --runs 1 \
		--no-bisect "$(sha "$2")..$(sha "$3")" >"$dir/out" 2>&1 ||
		sed 's/^/# /' "$dir/out"
}
# failed JOB: the commit that failed; side JOB: which one that is
failed() {
	sql "SELECT substr(c.sha, 1, 12) FROM plan p JOIN git_commit c ON
		c.id = p.commit_id WHERE p.job_id = $1 AND p.state = 'failed'"
}
side() {
	sql "SELECT CASE WHEN p.commit_id = j.base_id THEN 'base' ELSE 'head'
		END FROM plan p JOIN job j ON j.id = p.job_id
		WHERE j.id = $1 AND p.state = 'failed'"
}
# whose JOB WHAT: "head abc… ("subject") WHAT: "
whose() {
	sql "SELECT CASE WHEN p.commit_id = j.base_id THEN 'base' ELSE 'head'
		END || ' ' || substr(c.sha, 1, 12) || ' (\"' || c.subject ||
		'\") $2: ' FROM plan p JOIN job j ON j.id = p.job_id JOIN
		git_commit c ON c.id = p.commit_id
		WHERE j.id = $1 AND p.state = 'failed'"
}
# ends NAME JOB KIND SENTENCE WHOSE: a boot failed with the sentence, and the job
ends() {
	is "$1: the job fails, and says whose fault it is" \
		"$(cat "$dir/end.$2")" "5: job $2: failed: $5$4"
	is "$1: the sentence" "$("$drover" log "$2" |
		sed -n "s/.*Z  boot [0-9]* failed ($3): //p")" "$4"
	whole "$last"
}

submit builds 1 2
submit hangs 1 3
submit same 1 3
submit silent 1 3
submit refuses 1 3
submit vm 4 5
for i in 1 2 3 4 5 6; do
	end=$(timeout 60 "$drover" watch -q $i 2>&1)
	echo "$?: $end" >"$dir/end.$i"
done
ends 'a kernel that does not build' 1 build \
	"$(short 2): main.c:3:16: error: ‘ring’ undeclared (first use in this \
function)" "$(whose 1 "doesn''t build")"
is 'it is built once and not tried again' "$(sql "SELECT count(*) FROM attempt
	a JOIN artifact f ON f.id = a.artifact_id JOIN git_commit c ON
	c.id = f.commit_id WHERE c.sha = '$(sha 2)'")" 1
ends 'a kernel that does not boot' 2 boot "box hangs: kernel $(failed 2) did \
not reach SSH (scripted)" "$(whose 2 "doesn''t boot")"
is 'the box stays in service' \
	"$(sql "SELECT state FROM box WHERE name = 'hangs'")" ready
ours=$("$python" - <<'PY'
notes = open("/sys/kernel/notes", "rb").read()
at = notes.index(b"\3\0\0\0GNU\0")
print(notes[at + 8:at + 8 + notes[at - 4]].hex())
PY
)
asked=$(sql "SELECT build_id FROM artifact f JOIN git_commit c ON
	c.id = f.commit_id WHERE substr(c.sha, 1, 12) = '$(failed 3)'")
ends 'another kernel than the one asked for' 3 boot "box same runs build-id \
$ours, not $asked: another kernel booted than the one under test; check how \
boot method command brings it there" "$(whose 3 "doesn''t boot")"
ends 'a box that does not reboot' 4 infra "box silent still answers in its \
old boot 6 s after it was told to reboot; check how boot method command does \
that in the lab file" "infrastructure: no boot of $(side 4) succeeded: "
ends 'a hook that fails' 5 infra "box refuses: reboot hook: ls exited with 2: \
ls: cannot access '/no/such/relay': No such file or directory" \
	"infrastructure: no boot of $(side 5) succeeded: "
if command -v qemu-system-x86_64 >/dev/null; then
	ends 'an image that is no kernel, in QEMU' 6 boot "box vm: kernel \
$(failed 6) did not reach SSH within 6 s; last console line: its console is \
silent" "$(whose 6 "doesn''t boot")"
else
	skip 'an image that is no kernel, in QEMU' 'no QEMU here'
fi
is 'only what the lab did is held against a box' "$(sql "SELECT
	group_concat(name) FROM (SELECT name FROM box WHERE state =
	'quarantined' ORDER BY name)")" 'refuses,silent'
lab_stop
plan_done
