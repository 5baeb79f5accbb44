#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Bisections over built kernels, on null boxes: commits that can't matter are
# out before anything is built or as soon as the bits say so, likely kernels are
# built ahead, and nothing of that changes who is found.
set -u
. "$(dirname "$0")/null-lab"
. "$(dirname "$0")/lib/toy-kernel"

# Write a history for git fast-import: N commits on "main" after a first one;
# the K-th of them changes what awk's f(K) names. Culprit and later are slow.
# fast_repo NAME N CULPRIT AWK-FUNCTION
fast_repo() {
	repo=$dir/$1
	git -c init.defaultBranch=main init -q "$repo"
	toy_makefile "$dir/Makefile.toy"
	{
		echo 'commit refs/heads/main'
		echo 'committer C <c@example.org> 1700000000 +0000'
		printf 'data 5\nfirst\n'
		printf 'M 100644 inline Makefile\ndata %d\n' \
			"$(wc -c <"$dir/Makefile.toy")"
		cat "$dir/Makefile.toy"
		printf 'M 100644 inline hook\ndata %d\n' \
			"$(printf '%s\n' "${HOOK:-:}" | wc -c)"
		printf '%s\n' "${HOOK:-:}"
		printf 'M 100644 inline core.c\ndata 32\n'
		printf 'int main(void) { return 1000; }\n\n'
		awk -v n="$2" "$4"'
		BEGIN {
			for (k = 1; k <= n; k++) {
				split(f(k), w, "|")
				print "commit refs/heads/main"
				print "committer C <c@example.org> " \
					1700000000 + k " +0000"
				s = w[1] ": change number " k
				print "data " length(s)
				print s
				print "M 100644 inline " w[1]
				print "data " length(w[2]) + 1
				print w[2]
			}
		}'
	} | git -C "$repo" fast-import --quiet
	git -C "$repo" rev-list --reverse main >"$dir/shas.$1"
	sed -n "$(($3 + 1)),\$p" "$dir/shas.$1" >>"$dir/slow"
}
nth() { sed -n "$(($2 + 1))p" "$dir/shas.$1"; } # 0: the first

# core.c that returns what the text says; a comment leaves the bits alone
core='function core(x, c) {
	return "core.c|int main(void) { return " x "; } /* " c " */"
}'
lab_repo 1
LAB_SLEEP_MS=20
lab_boxes 200 20
HOOK=: fast_repo wide 1000 437 "$core"'
	function f(k) {
		return k % 10 == 7 ? core(2000 + k, "") : "drivers/d" k ".c|" k
	}'
fast_repo notes 40 22 "$core"'
	function f(k) { return core(k < 22 ? 1000 : 2, k) }'
HOOK='sleep 0.1' fast_repo lazy 12 5 "$core"'
	function f(k) { return core(k, "") }'
echo 'CONFIG_A=y' >"$dir/kconfig"
cat >"$dir/lab.yaml" <<END
boxes:
$(for b in a b; do cat <<BOX
  - name: null-$b
    backend: "null"
    tbox_group: "null"
    boot: {method: qemu, cpus: 1, icount: 2}
    script: {mean: 100000, sd: 200, boot_sd: 200, slow_pct: 20,
      slow_file: $dir/slow, metrics: 3, sleep_ms: 20, seed: 1}
BOX
done)
END
sed -i '/^repos:/,$d' "$dir/drover.yaml"
cat >>"$dir/drover.yaml" <<END
build: {ccache: false, slots: 1}
repos:
$(for r in wide notes lazy; do
	echo "  - {name: $r, path: $dir/$r, branch: main, kconfig: $dir/kconfig}"
done)
END
lab_start

bisected() { # JOB REPO BASE HEAD [OPTION …]
	job=$1 repo=$2 base=$3 head=$4
	shift 4
	"$drover" submit --quiet --wait --repo "$repo" -j "$dir/job.yaml" "$@" \
		"$(nth "$repo" "$base")..$(nth "$repo" "$head")" \
		>"$dir/out" 2>&1
	"$drover" bisect status --json "$job" >"$dir/bisect"
	"$drover" bisect status "$job" >"$dir/words"
}
culprit_is() { # REPO N
	json "$dir/bisect" 'r["verdict"] == "culprit" and
		r["commits"] == ["'"$(nth "$1" "$2")"'"]'
}

# --- commits that touch nothing that is compiled ---
bisected 1 wide 0 1000
culprit_is wide 437
ok $? 'one of 1,000 commits is found'
json "$dir/bisect" 'r["range"]["commits"] == 1000 and
	r["range"]["excluded"] == {"files": 900} and r["range"]["left"] == 100'
ok $? '900 of them can not matter, by the list of compiled files'
json "$dir/bisect" 'r["evidence"]["builds"] <= 9 and r["cost"]["builds"] <= 9'
ok $? 'builds: at most log2(100) + 3, base and head among them'
echo "# $(sed -n 's/^cost: //p' "$dir/words")"
grep -q '^  excluded: 900 that touch no file that the kernel is built from$' \
	"$dir/words"
ok $? 'status says how many and why'
"$drover" log 1 >"$dir/log1"
grep -q 'bisecting 1000 commits, 900 of which can.t matter' "$dir/log1"
ok $? 'and so does the log'

# --- kernels of the same bits ---
bisected 2 notes 0 40
culprit_is notes 22
ok $? 'among commits that change comments, the one that changes code is found'
json "$dir/bisect" 'r["range"]["excluded"].get("same", 0) >= 35 and
	"files" not in r["range"]["excluded"]'
ok $? 'commits of one build-id are one'
json "$dir/bisect" 'r["range"]["left"] <= 3 and r["evidence"]["boots"] <= 30'
ok $? 'and none of them is booted to know that'
json "$dir/bisect" 'any(x["status"] == "same" and not x["values"] and
		"bit for bit" in x["why"]
	for s in r["steps"] for x in s["result"] or [])'
ok $? 'a boot that was not needed is told with its reason'
"$drover" bisect log 2 >"$dir/log2"
grep -q 'same: its kernel is bit for bit that of ' "$dir/log2" &&
	grep -Eq '^ +[0-9a-f]{12} on null-[ab]: [0-9.]+$' "$dir/log2"
ok $? 'bisect log has every step with its boots and samples'

# base and head without a difference
"$drover" submit --quiet --wait --no-bisect --repo notes -j "$dir/job.yaml" \
	"$(nth notes 23)..$(nth notes 40)" >/dev/null 2>&1
"$drover" bisect start 3 --metric stress-ng.pipe.ops_per_sec >"$dir/why" 2>&1
[ $? -ne 0 ] && grep -q 'were built into the same kernel (build-id' "$dir/why"
ok $? 'one kernel on both ends is not bisected'

# --- built ahead: boots that last longer than builds ---
lab_stop
sed -i 's/sleep_ms: 20/sleep_ms: 700/' "$dir/lab.yaml"
lab_start
bisected 4 lazy 0 12
culprit_is lazy 5
ok $? 'with slow builds the same is found'
"$drover" log 4 >"$dir/log4"
grep -q 'built ahead in' "$dir/log4"
ok $? 'likely kernels are built while boots run'
json "$dir/bisect" 'r["cost"]["unused"] >= 0 and
	r["cost"]["builds"] + r["cost"]["unused"] <= 14'
ok $? 'those that were for nothing are counted apart'
lab_stop
"$python" - "$dir/state/drover.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
bad = db.execute("SELECT kind, state, failure, why FROM attempt WHERE state "
                 "NOT IN ('done', 'cancelled')").fetchall()
print("#", bad)
sys.exit(bool(bad))
PY
ok $? 'no attempt went wrong'
"$python" - "$dir/state/drover.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
dropped = db.execute("SELECT count(*) FROM attempt WHERE kind = 'build' "
                     "AND state = 'cancelled'").fetchone()[0]
# a kernel that was asked for is never dropped for another
twice = db.execute("SELECT count(*) FROM (SELECT 1 FROM attempt WHERE kind = "
                   "'build' AND state = 'done' GROUP BY artifact_id "
                   "HAVING count(*) > 1)").fetchone()[0]
print("# %d builds ahead dropped, %d kernels built twice" % (dropped, twice))
sys.exit(not dropped or twice)
PY
ok $? 'builds ahead make room for those that boots wait for'

echo 'bisect: {speculate: false, budget_runs: 2000, max_boots: 60}' \
	>"$dir/more"
sed -i 's/sleep_ms: 700/sleep_ms: 20/' "$dir/lab.yaml"
sed -i '/^bisect:/d' "$dir/drover.yaml"
cat "$dir/more" >>"$dir/drover.yaml"
lab_start
bisected 5 lazy 1 11
culprit_is lazy 5
ok $? 'found without building ahead, too'
"$drover" log 5 >"$dir/log5"
! grep -q 'built ahead in' "$dir/log5"
ok $? 'and nothing is built ahead then'
lab_stop
echo "1..$n"
