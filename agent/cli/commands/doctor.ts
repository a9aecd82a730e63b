import type { Call } from "../command.ts";
import { doctor } from "../doctor.mjs";
import type { ExitCode } from "../exit-code.ts";

/** `doctor`: what is installed, what is missing and what state everything is in; see doctor.mjs. */
export async function run({ place, output }: Call<object, object>): Promise<ExitCode> {
	const args = ["--data-dir", place.data.directory];
	return (await doctor(output.json ? ["--json", ...args] : args)) === 0 ? 0 : 1;
}
