#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the command line says to people who ask and to people who err.
. tests/tap.sh
drover=$DROVER_BUILD/drover

out=$("$drover" --help)
ok "--help succeeds" $?
like "--help lists the commands" "$out" "  submit "
like "--help tells the exit codes" "$out" "3 not found"
out=$("$drover" 2>&1)
is "no command is a usage error" $? 2
out=$("$drover" sumbit 2>&1)
is "an unknown command is a usage error" $? 2
is "and the near one is named" "$out" \
	"drover: no command called sumbit; did you mean submit? (drover --help lists them)"
like "--version names the program" "$("$drover" --version)" "drover "

for c in $("$drover" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
	[ "$c" = lab ] && continue
	out=$("$drover" "$c" --help 2>&1)
	ok "$c --help succeeds" $?
	like "$c --help shows how to call it" "$out" "usage: drover $c"
	out=$(printf '%s\n' "$out" | awk 'length > 80')
	is "$c --help fits 80 columns" "$out" ""
	out=$("$drover" "$c" --no-such-option 2>&1 </dev/null)
	is "$c refuses an unknown option" $? 2
done

out=$("$drover" queue --jsn 2>&1)
is "a near option is named" "$out" \
	"drover queue: unknown option --jsn; did you mean --json? (drover queue --help)"
out=$("$drover" submit -j 2>&1)
is "an option without its value is named" "$out" \
	"drover submit: -j needs a value (drover submit --help)"
out=$("$drover" submit abc -j x.yaml 2>&1)
is "a range needs two dots" "$out" \
	"drover submit: \"abc\" is not BASE..HEAD (two revisions with two dots between them) (drover submit --help)"
out=$("$drover" submit a...b -j x.yaml 2>&1)
is "three dots are no range" $? 2
out=$("$drover" submit a..b -j x.yaml -n many 2>&1)
is "a number must be one" "$out" \
	"drover submit: --runs takes a whole number, not many (drover submit --help)"
out=$("$drover" status 2>&1)
is "a missing job is asked for" "$out" \
	"drover status: which job? (\`drover queue --all\` lists them) (drover status --help)"
out=$("$drover" status seven 2>&1)
is "a job is a number" "$out" \
	"drover status: \"seven\" is not a job's number (drover status --help)"
out=$("$drover" queue --color=maybe 2>&1)
is "--color has three values" "$out" \
	"drover queue: --color is auto, always or never (drover queue --help)"

out=$("$drover" queue --socket "$tmp/none.sock" 2>&1)
is "without a daemon the exit code is 5" $? 5
is "and the sentence says what to do" "$out" \
	"drover queue: no droverd listens at $tmp/none.sock: start it (droverd), or name its socket with --socket"

"$drover" completion bash >"$tmp/completion.bash"
ok "completion prints a script" $?
bash -n "$tmp/completion.bash"
ok "which bash can read" $?
plan_done
