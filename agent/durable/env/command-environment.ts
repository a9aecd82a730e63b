/** Nothing a command starts may wait for a person at a terminal, or draw for one: there is none. */
const WITHOUT_A_PERSON = {
	TERM: "dumb",
	GIT_TERMINAL_PROMPT: "0",
	GIT_EDITOR: "true",
	PAGER: "cat",
} as const;

/** Options of a shell of the person's; inherited, each bash would put its own into them and pass those on. */
const OF_ANOTHER_SHELL = ["SHELLOPTS", "BASHOPTS"];

/** The environment of a command: the person's own, then what holds for every command, then the call's. */
export function commandEnvironment(
	person: Readonly<Record<string, string | undefined>>,
	call: Readonly<Record<string, string>> = {},
): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries({ ...person, ...WITHOUT_A_PERSON, ...call }))
		if (value !== undefined && !OF_ANOTHER_SHELL.includes(name)) environment[name] = value;
	return environment;
}
