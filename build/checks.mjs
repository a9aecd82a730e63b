import { spawn } from "node:child_process";
import { join } from "node:path";
import { pinnedNode } from "./pinned-node.mjs";

/** @typedef {{ name: string, says: string, args: string[] }} Check `args` are for the pinned Node, in the project's folder */

const BIOME = join("node_modules", "@biomejs", "biome", "bin", "biome");

/**
 * What is checked without running the product, in the order in which it is reported.
 *
 * @type {readonly Check[]}
 */
export const CHECKS = [
	{
		name: "types",
		says: "the compiler accepts every file",
		args: [join("node_modules", "typescript", "bin", "tsc"), "-p", "."],
	},
	{
		name: "window",
		says: "svelte-check finds nothing in the window",
		args: [
			join("node_modules", "svelte-check", "bin", "svelte-check"),
			"--tsconfig",
			join("renderer", "tsconfig.json"),
			"--fail-on-warnings",
		],
	},
	{
		name: "pages",
		says: "the compiler accepts what runs in the app's pages",
		args: [join("node_modules", "typescript", "bin", "tsc"), "-p", join("main", "pages")],
	},
	{
		name: "lint",
		says: "the linter finds nothing",
		args: [BIOME, "check", "--formatter-enabled=false", "--error-on-warnings", "--max-diagnostics=50", "."],
	},
	{ name: "format", says: "every file is formatted", args: [BIOME, "format", "--max-diagnostics=20", "."] },
	{ name: "layers", says: "imports point one way", args: [join("build", "check", "layers.mjs")] },
	{
		name: "size",
		says: "files are small and the harness can be read whole",
		args: [join("build", "check", "size.mjs")],
	},
	{
		name: "lockstep",
		says: "pins are exact and move together",
		args: [join("build", "check", "lockstep.mjs")],
	},
];

/**
 * Runs one check.
 *
 * @param {string} root the project's folder
 * @param {Check} check
 * @param {AbortSignal} [signal] ends it early
 * @returns {Promise<{ ok: boolean, output: string, seconds: number }>}
 */
export async function runCheck(root, check, signal) {
	const began = performance.now();
	const child = spawn(pinnedNode(root), check.args, { cwd: root, signal, stdio: ["ignore", "pipe", "pipe"] });
	const [stdout, stderr, code] = await Promise.all([
		child.stdout.toArray(),
		child.stderr.toArray(),
		new Promise((resolve) => {
			child.once("close", resolve).once("error", resolve);
		}),
	]);
	return {
		ok: code === 0,
		output: [...stdout, ...stderr].join(""),
		seconds: (performance.now() - began) / 1000,
	};
}
