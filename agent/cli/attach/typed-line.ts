/** What someone typed into `attach`: a message, or what to do. */
export type TypedLine =
	| { readonly kind: "message"; readonly text: string; readonly steer: boolean }
	| { readonly kind: "stop" | "quit" | "help" | "nothing" }
	| { readonly kind: "unknown"; readonly name: string };

export const ATTACH_HELP = `What you type is sent when you press Enter; while the session runs it waits for the answer.
/now TEXT   a message for the next step, into the run that is going on
/stop       stop the run
/quit       leave, as Ctrl-C does; the session goes on
/help       this list
A message that itself begins with a slash and a word: begin it with two slashes.`;

/** Only a slash with a single word is a command: `/etc/hosts is empty` is a message. */
export function readTypedLine(line: string): TypedLine {
	if (line.trim() === "") return { kind: "nothing" };
	const [, name, rest] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
	if (name === undefined)
		return { kind: "message", text: line.startsWith("//") ? line.slice(1) : line, steer: false };
	if (name === "now" && rest !== undefined && rest.trim() !== "")
		return { kind: "message", text: rest, steer: true };
	if (rest === undefined && (name === "stop" || name === "quit" || name === "help")) return { kind: name };
	return { kind: "unknown", name };
}

/** Says why a line was not taken. */
export function unknownWords(name: string): string {
	if (name === "now") return "/now needs a text after it";
	return `there is no /${name} here; /help lists what there is, and // sends a message that begins with a slash`;
}
