# The runner of one command: starts it, keeps its output and records its exit, whoever else dies meanwhile.
# README.md beside this file tells the protocol. Runs under bash 3.2 and later, as `bash -p`, so that no start-up file
# and no exported function of the person's changes what it does:
#
#   bash -p runner.sh DIRECTORY BOOT CALL UMASK SHELL BLOCK BLOCKS LIMIT
#
#   DIRECTORY  where this run keeps its files; it holds an empty file `exit` and nothing else
#   BOOT       the id of this boot, for the runner's identity
#   CALL       goes into the command's environment as OUTLIVE_CALL
#   UMASK      of the command: the person's own, in octal
#   SHELL      runs the command
#   BLOCK      most bytes that are read at once; BLOCKS: reads between two looks at LIMIT
#   LIMIT      most bytes of output that are kept
#
# Standard input is the order: a line with the nonce, then the command. It is a file without a name, so the command can
# find the nonce nowhere. Standard error is a log for whoever looks for the cause of a failure.

# Whatever POSIXLY_CORRECT says: bash has no process substitution in that mode.
set +o posix

# What might be sent to more than the command. The command itself gets these in their default form.
SIGNALS='HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP TTIN TTOU'

main() {
	directory=$1 boot=$2 call=$3 mask=$4 shell=$5 block=$6 blocks=$7 limit=$8
	umask 077
	# Ignored, not handled: a handler would cut `wait` short, and bash can then lose the command's status.
	trap '' $SIGNALS
	read_order && write_identity && take_start || exit

	# Programs of its own come from the usual places; the command gets the person's PATH.
	path=${PATH-}
	PATH=/usr/bin:/bin:$path

	exec 3> >(relay) || exit
	start_command
	# So that nobody has to wait for this process to let go of the project's folder.
	cd /
	wait "$pid"
	status=$?
	# Through the same pipe as the output, so whatever the command wrote before is stored before this.
	printf '\001%s\001' "$nonce" >&3
	note_end
	# A rename of a file that exists needs no room on the disk and can't be half done.
	exec mv "$directory/exit" "$directory/exit-$status"
}

read_order() {
	local line
	IFS= read -r nonce || return
	command=
	while IFS= read -r line; do command+=$line$'\n'; done
	command+=$line
	exec </dev/null
}

# Says who this process is: pid, start, boot, a line each.
write_identity() {
	if [ -r "/proc/$$/stat" ]; then
		read_start "$$"
	else
		start=$(LC_ALL=C TZ=UTC0 /bin/ps -o lstart= -p "$$")
	fi
	[ -n "$start" ] && printf '%s\n%s\n%s\n' "$$" "$start" "$boot" >"$directory/runner"
}

# Sets `start` of a pid on Linux: field 22 of its stat, counted after the name, which may hold anything.
read_start() {
	local line
	start=
	IFS= read -r line <"/proc/$1/stat" || return
	set -- ${line##*) }
	start=${20}
}

# Takes the name `started`. Only one can: this runner, or an agent that makes sure it never runs. The shell creates it
# exclusively (noclobber is O_EXCL), and empty, after the identity: whoever sees the name finds the identity whole.
take_start() {
	set -o noclobber
	{ : >"$directory/started"; } 2>/dev/null || return
	set +o noclobber
}

# The command leads a process group of its own (job control does that), so `kill 0` in it doesn't reach the runner.
start_command() {
	set -o monitor
	(
		trap - $SIGNALS
		umask "$mask"
		PATH=$path
		export OUTLIVE_CALL=$call
		exec "$shell" -c -- "$command"
	) </dev/null >&3 2>&3 3>&- &
	pid=$!
	set +o monitor
	# Who leads that group, for whoever must tell the command's processes from others after this runner is gone.
	if [ -r "/proc/$pid/stat" ]; then
		read_start "$pid"
		printf '%s\n%s\n' "$pid" "$start" >"$directory/command"
	else
		{
			printf '%s\n' "$pid"
			LC_ALL=C TZ=UTC0 /bin/ps -o lstart= -p "$pid"
		} >"$directory/command" 3>&- &
	fi
}

# Notes when the runner still was there, for the same purpose: in clock ticks since boot on Linux, as starts are
# (/proc/uptime has hundredths of a second); elsewhere in seconds since this runner's start.
note_end() {
	local uptime
	if [ -r /proc/uptime ]; then
		read -r uptime _ </proc/uptime
		printf '%s\n' "${uptime/./}" >"$directory/ended"
	else
		printf '+%s\n' "$SECONDS" >"$directory/ended"
	fi
}

# Stores standard input in files named by the offset of their first byte. The first file and the newest ones are kept,
# LIMIT bytes together. Nobody who writes is ever ended by this: what can't be stored is read all the same. It lives
# until the last holder of the output is gone.
relay() {
	cd "$directory" || return
	export LC_ALL=C
	offset=0 size=0 kept=0 middle=()
	while :; do
		make_room
		if copy "$blocks" "output-$offset"; then
			[ "$reads" -eq "$blocks" ] || return 0
			[ "$size" -lt $((limit / 8)) ] || next_file 0
		else
			let_go || return 0
			[ "$size" -eq 0 ] && [ "$offset" -gt 0 ] || next_file "$block"
		fi
	done
}

# Reads `$1` times and appends to the file `$2`. Sets `reads`, from dd's report, and counts what was stored.
copy() {
	local report bytes failed=
	report=$(dd bs="$block" count="$1" 2>&1 >>"$2") || failed=yes
	reads=0
	case $report in
	*' records out'*)
		# "<full>+<partial> records in", "… records out", "<bytes> bytes …"
		reads=${report%% records in*}
		reads=$((${reads##*$'\n'}))
		bytes=${report#* records out$'\n'}
		bytes=${bytes%% *}
		[ "$2" = /dev/null ] || size=$((size + bytes)) kept=$((kept + bytes))
		;;
	esac
	[ -z "$failed" ]
}

# Reads one block that can't be stored. False at the end of the input.
let_go() {
	if copy 1 /dev/null; then
		[ "$reads" -gt 0 ]
	else
		sleep 1 || :
	fi
}

# Goes on in another file, `$1` bytes beyond the end of this one: a reader sees the gap by the names.
next_file() {
	[ "$offset" -eq 0 ] || middle+=("$offset:$size")
	offset=$((offset + size + $1))
	size=0
}

# Removes the oldest files after the first until the next look finds room.
make_room() {
	while [ $((kept + block * blocks)) -gt "$limit" ] && [ "${#middle[@]}" -gt 0 ]; do
		rm -f "output-${middle[0]%:*}"
		kept=$((kept - ${middle[0]#*:}))
		middle=("${middle[@]:1}")
	done
}

# One compound line, read whole before it runs: a new version of this file can't change what is running.
{
	main "$@"
	exit
}
