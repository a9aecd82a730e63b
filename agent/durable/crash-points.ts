/**
 * Named places where a test ends the process as a crash would.
 *
 * `OUTLIVE_CRASH_AT=name:n` sends SIGKILL to the own process at the n-th pass of `name`; `name#detail:n` counts only
 * passes with that detail (a conversation id). Several are separated by commas. Unset, a point costs one comparison.
 */
type CrashRule = { readonly name: string; readonly detail: string | undefined; left: number };

const rules: CrashRule[] | undefined = parseRules(process.env.OUTLIVE_CRASH_AT);

function parseRules(text: string | undefined): CrashRule[] | undefined {
	if (text === undefined || text === "") return undefined;
	return text.split(",").map((rule) => {
		const match = /^([^#:]+(?::[^#:\d][^#:]*)*)(?:#([^:]*))?:(\d+)$/.exec(rule);
		if (match === null) throw new Error(`OUTLIVE_CRASH_AT: "${rule}" is not name:n or name#detail:n`);
		return { name: match[1]!, detail: match[2], left: Number(match[3]) };
	});
}

/** Passes the named point; ends the process with SIGKILL when a rule says so. */
export function crashPoint(name: string, detail?: string | number): void {
	if (rules === undefined) return;
	for (const rule of rules) {
		if (rule.name !== name) continue;
		if (rule.detail !== undefined && rule.detail !== String(detail)) continue;
		rule.left--;
		if (rule.left === 0) process.kill(process.pid, "SIGKILL");
	}
}
