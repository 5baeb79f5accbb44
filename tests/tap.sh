# SPDX-License-Identifier: GPL-3.0-or-later
# TAP for shell tests, sourced: `. tests/tap.sh`. Gives $tmp (private, removed
# at the end), is, like, ok, and plan_done.
set -u
tap_nr=0
tap_bad=0
tmp=$(mktemp -d)
tap_cleanup() { rm -rf "$tmp"; }
trap 'tap_rc=$?; tap_cleanup; exit $tap_rc' EXIT
trap 'exit 130' INT TERM

# ok NAME STATUS: passes when STATUS is 0
ok() {
	tap_nr=$((tap_nr + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $tap_nr - $1"
	else
		echo "not ok $tap_nr - $1"
		tap_bad=$((tap_bad + 1))
	fi
}

# is NAME GOT EXPECTED: the same text
is() {
	if [ "$2" = "$3" ]; then
		ok "$1" 0
	else
		ok "$1" 1
		printf '%s\n' "$2" | sed 's/^/# got:      /'
		printf '%s\n' "$3" | sed 's/^/# expected: /'
	fi
}

# like NAME GOT PART: GOT holds PART
like() {
	case $2 in
	*"$3"*) ok "$1" 0 ;;
	*)
		ok "$1" 1
		printf '%s\n' "$2" | sed 's/^/# got:        /'
		printf '%s\n' "$3" | sed 's/^/# expected in it: /'
		;;
	esac
}

skip() {
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

plan_done() {
	echo "1..$tap_nr"
	[ "$tap_bad" -eq 0 ]
}
