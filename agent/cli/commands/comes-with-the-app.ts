import { protocolError } from "../../protocol/index.ts";
import type { Call } from "../command.ts";

/** A command of the app, which this version doesn't have yet. */
export async function run({ command }: Call<object, object>): Promise<never> {
	throw protocolError(
		"not_yet",
		`outlive ${command} comes with the app, which this version doesn't have yet.`,
	);
}
