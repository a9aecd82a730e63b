import { resolve } from "node:path";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import { withLink } from "../reach/link.ts";

/** `allow`: lets sessions run in a folder outside the home directory, and in those below it. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly DIR: string }, object>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const allowed = await link.ask("projects.allow", { directory: resolve(place.here, positionals.DIR) });
		output.result(allowed, () =>
			allowed.added
				? `Sessions may run in ${printableLine(allowed.directory)} from now on.`
				: `Sessions may run in ${printableLine(allowed.directory)} already.`,
		);
		return 0;
	});
}
