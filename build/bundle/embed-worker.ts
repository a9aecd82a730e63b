import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin, type Rolldown } from "vite";

const STARTS_WORKER = /\bnew Worker\(new URL\("(\.\.?\/[^"]+)", import\.meta\.url\), \{/g;

/**
 * Puts the program of a thread that our sources start, with all it imports, into the script as text: nothing lies beside
 * the bundle, and a running agent can start it also when the app was moved or replaced. Only this form is known, on one
 * line:
 *
 *     new Worker(new URL("./scaling-worker.ts", import.meta.url), { …
 */
export function embedWorker(): Plugin {
	return {
		name: "outlive-embed-worker",
		enforce: "pre",
		async transform(code, id) {
			if (!isAbsolute(id) || id.includes("/node_modules/")) return undefined;
			const programs = new Map<string, string>();
			for (const [, path] of code.matchAll(STARTS_WORKER)) {
				const file = join(dirname(id), path!);
				this.addWatchFile(file);
				programs.set(path!, await programOf(file));
			}
			if (programs.size === 0) return undefined;
			const embedded = code.replace(
				STARTS_WORKER,
				(_, path: string) => `new Worker(${JSON.stringify(programs.get(path))}, { eval: true, `,
			);
			// No line is added or taken away, so the source map stays as good as it was.
			return { code: embedded, map: null };
		},
	};
}

/** A program and all it imports as one script, in the form that a thread takes as text. */
async function programOf(entry: string): Promise<string> {
	const built = (await build({
		configFile: false,
		publicDir: false,
		logLevel: "warn",
		plugins: [embedWasm()],
		ssr: { target: "node", noExternal: true },
		build: {
			ssr: entry,
			write: false,
			target: "node24",
			minify: true,
			rolldownOptions: { output: { format: "cjs", codeSplitting: false } },
		},
	})) as Rolldown.RolldownOutput;
	return built.output[0].code;
}

const READS_WASM =
	/const path = require\('path'\)\.join\(__dirname, '([\w.-]+\.wasm)'\);\s*const bytes = require\('fs'\)\.readFileSync\(path\);/;

/** A package made by wasm-bindgen reads its code from a file beside itself; in the bundle it carries it. */
function embedWasm(): Plugin {
	return {
		name: "outlive-embed-wasm",
		enforce: "pre",
		transform(code, id) {
			const found = READS_WASM.exec(code);
			if (found === null) {
				if (code.includes(".wasm'"))
					this.error(`${id} reads its WebAssembly in a way that isn't known here.`);
				return undefined;
			}
			const wasm = gzipSync(readFileSync(join(dirname(id), found[1]!))).toString("base64");
			const carried = `const bytes = require('zlib').gunzipSync(Buffer.from("${wasm}", "base64"));`;
			return { code: code.replace(found[0], carried), map: null };
		},
	};
}
