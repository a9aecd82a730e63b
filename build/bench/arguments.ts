import { parseArgs } from "node:util";

export const USAGE = "npm run bench -- [--quick] [--only ROW]... [--json FILE]";

export type Asked =
	| {
			readonly kind: "run";
			/** Names of the rows to measure. */
			readonly rows: readonly string[];
			readonly quick: boolean;
			/** Where the figures go as JSON, beside the table. */
			readonly json: string | undefined;
	  }
	| { readonly kind: "refused"; readonly reason: string };

/** Reads the command line. `names` are those of all rows; every one is measured unless some are asked for. */
export function readArguments(args: readonly string[], names: readonly string[]): Asked {
	let values: { quick?: boolean; only?: string[]; json?: string };
	try {
		({ values } = parseArgs({
			args: [...args],
			options: {
				quick: { type: "boolean" },
				only: { type: "string", multiple: true },
				json: { type: "string" },
			},
		}));
	} catch (error) {
		// An unknown option or a missing value; the parser's own sentence says which.
		return { kind: "refused", reason: (error as Error).message };
	}
	const { quick = false, only = [...names], json } = values;
	const unknown = only.find((name) => !names.includes(name));
	if (unknown !== undefined)
		return { kind: "refused", reason: `There is no row "${unknown}"; there are: ${names.join(", ")}.` };
	return { kind: "run", rows: only, quick, json };
}
