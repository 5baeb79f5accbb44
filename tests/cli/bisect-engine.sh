#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover bisect-engine: its line protocol, and a few trials before the judge.
set -u
drover=$DROVER_BUILD/drover
world=../shared/sim/world.py
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$dir/out" "$dir/err"
	fi
}

# talk NAME CODE PATTERN FILE: which stream FILE must hold the pattern
talk() {
	"$drover" bisect-engine <"$dir/in" >"$dir/out" 2>"$dir/err"
	rc=$?
	[ "$rc" = "$2" ] && grep -q "$3" "$dir/$4"
	result $? "$1"
}

start='{"op":"start","commits":[{"id":"a","parents":[]},
{"id":"b","parents":["a"]},{"id":"c","parents":["b"]}],"good":"a","bad":"c",
"claim":-0.1,"boxes":["x"],"calibration":{"sd":0.01},
"cost":{"build":10,"boot":1,"run":1},"budget_runs":100}'
start=$(echo "$start" | tr -d '\n')

echo "$start" >"$dir/in"
talk "a start is answered with boots to run" 0 '"op":"run"' out

: >"$dir/in"
"$drover" bisect-engine <"$dir/in" >"$dir/out" 2>"$dir/err"
result $? "no input is no error"

echo 'nonsense' >"$dir/in"
talk "text that is no JSON is refused with its line" 2 'line 1' err

echo '{"op":"dance"}' >"$dir/in"
talk "an unknown op is refused" 2 'dance' err

echo '{"op":"result","boots":[]}' >"$dir/in"
talk "a result needs a start" 2 'before any start' err

printf '%s\n%s\n' "$start" \
	'{"op":"result","boots":[{"commit":"q","box":"x","values":[1]}]}' \
	>"$dir/in"
talk "a commit outside the range is refused" 2 'not in the range' err

printf '%s\n%s\n' "$start" '{"op":"result","boots":[
{"commit":"a","box":"x","values":[100]},{"commit":"c","box":"x","values":[90]},
{"commit":"c","box":"x","values":[90]},{"commit":"a","box":"x","values":[100]},
{"commit":"a","box":"x","values":[100]},{"commit":"c","box":"x","values":[90]}
]}' | tr -d '\n' | sed 's/}{"op"/}\n{"op"/' >"$dir/in"
echo >>"$dir/in"
talk "boots that are there already end the detection" 0 '"phase":"search"' out

# docs/bisect-engine.md, played by a lab that has what the document says
cat >"$dir/play.py" <<'EOF'
import json, subprocess, sys
said = [json.loads(line) for line in open('docs/bisect-engine.md')
        if line.startswith('{"op":')]
start, run, result, verdict = said
engine = subprocess.Popen([sys.argv[1], 'bisect-engine'], text=True, bufsize=1,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
level = {b['commit']: b['values'][0] for b in result['boots']}
level['b'] = level[verdict['commits'][0]] = level['c']
def tell(message):
    engine.stdin.write(json.dumps(message) + '\n')
    return json.loads(engine.stdout.readline())
answer = tell(start)
assert answer == run, answer
answer = tell(result)
for turn in range(1000):
    if answer['op'] != 'run':
        break
    k = (1, 1.0003, 0.9998, 1.0001)[turn % 4]
    answer = tell({'op': 'result', 'boots': [
        {'commit': b['commit'], 'box': b['box'], 'layout': b['layout'],
         'values': [level[b['commit']] * k] * b['runs']}
        for b in answer['boots']]})
engine.stdin.close()
engine.wait()
assert answer.keys() == verdict.keys(), answer
assert [answer[k] for k in ('verdict', 'commits')] == ['culprit', ['b']], answer
print(json.dumps(answer))
EOF
timeout 30 python3 "$dir/play.py" "$drover" >"$dir/out" 2>"$dir/err"
result $? "the document's messages are the engine's"

if [ -f "$world" ]; then
	timeout 60 python3 "$world" --trials 8 \
		--only strong,short,merges,nothing,unbuildable \
		-- "$drover" bisect-engine >"$dir/out" 2>"$dir/err"
	result $? "the judge's gates hold in a few trials"
else
	n=$((n + 1))
	echo "ok $n - the judge's gates # SKIP ../shared is not here"
fi
echo "1..$n"
