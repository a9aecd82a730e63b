import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("./program.ts", import.meta.url));

export type Scenario = "messages" | "stop" | "survey" | "compaction";

export type ProgramEnd = { readonly killed: boolean; readonly code: number | null; readonly errors: string };

/**
 * Runs the program on a folder's files. `crashAt` is where it ends itself with SIGKILL (`name:n`); `cache` is a folder
 * for compiled code, which makes the many starts cheap.
 */
export async function runProgram(
	folder: string,
	scenario: Scenario,
	cache: string,
	crashAt?: string,
): Promise<ProgramEnd> {
	const child = spawn(process.execPath, [PROGRAM, folder, scenario], {
		stdio: ["ignore", "ignore", "pipe"],
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: cache,
			...(crashAt === undefined ? {} : { OUTLIVE_CRASH_AT: crashAt }),
		},
	});
	let errors = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		errors += text;
	});
	const [code, signal] = (await once(child, "close")) as [number | null, string | null];
	return { killed: signal === "SIGKILL", code, errors };
}
