import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/**
 * Runs one of `programs/` in a process of its own and resolves with the JSON it prints, or undefined when it prints
 * nothing. What it is given comes as one JSON argument. Rejects with what it wrote to its error output when it fails.
 */
export async function runProgram<T>(name: string, input: object): Promise<T> {
	const file = join(import.meta.dirname, "programs", `${name}.ts`);
	const child = spawn(process.execPath, [file, JSON.stringify(input)], { stdio: ["ignore", "pipe", "pipe"] });
	const output = { stdout: "", stderr: "" };
	for (const stream of ["stdout", "stderr"] as const)
		child[stream].setEncoding("utf8").on("data", (text: string) => {
			output[stream] += text;
		});
	const [code] = await once(child, "close");
	if (code !== 0) throw new Error(`The benchmark's program ${name} failed:\n${output.stderr}`);
	return (output.stdout === "" ? undefined : JSON.parse(output.stdout)) as T;
}

/** In a program: what it was given. */
export function programInput<T>(): T {
	return JSON.parse(process.argv[2]!) as T;
}

/** In a program: what it found, as its last word. */
export function programOutput(result: object): void {
	process.stdout.write(JSON.stringify(result));
}
