import { protocolError } from "../../protocol/index.ts";
import type { Call } from "../command.ts";

/** A command whose methods this version doesn't have yet: it says so, and nothing is started or asked. */
export async function run({ command }: Call<object, object>): Promise<never> {
	throw protocolError(
		"not_yet",
		`outlive ${command} is not there yet; a later version of Outlive brings it.`,
	);
}
