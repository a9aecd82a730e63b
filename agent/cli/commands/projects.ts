import type { ProjectList } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import { table } from "../output/table.ts";
import { ago } from "../output/time-words.ts";
import { withLink } from "../reach/link.ts";

/** `projects`: the folders that sessions ran in, newest use first, and those that were allowed. */
export async function run({ place, output }: Call<object, object>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const list = await link.ask("projects.list", {});
		output.result(list, () => inWords(list, output.stdout.isTTY ? output.stdout.columns : undefined));
		return 0;
	});
}

function inWords({ projects, roots }: ProjectList, width: number | undefined): string {
	const now = Date.now();
	const rows = projects.map(({ directory, lastUsedAt, sessions, missing }) => [
		`${sessions} ${sessions === 1 ? "session" : "sessions"}`,
		ago(lastUsedAt, now),
		printableLine(directory) + (missing ? " (no longer there)" : ""),
	]);
	const known = rows.length === 0 ? "No folder has had a session yet." : table(rows, width);
	if (roots.length === 0) return known;
	return `${known}\n\nSessions may run in and below:\n${roots.map((root) => `  ${printableLine(root)}`).join("\n")}`;
}
