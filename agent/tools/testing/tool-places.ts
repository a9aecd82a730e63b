import { mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { ExecutionEnv } from "../../durable/env/execution-env.ts";
import type { FileProtection } from "../../durable/env/file-system.ts";
import { createMemoryEnv } from "../../durable/env/memory-env.ts";
import { NodeExecutionEnv } from "../../durable/env/node-env.ts";
import type { ToolExecutionApi, ToolExecutionResult, ToolRegistration } from "../../durable/types/tools.ts";
import { createMemoryToolApi, type MemoryDocuments } from "./memory-tool-api.ts";

const context = BACKGROUND_CONTEXT;

/** A place for file tools to work in, with an empty working directory and one conversation. */
export type ToolPlace = {
	readonly env: ExecutionEnv;
	readonly documents: MemoryDocuments;
	readonly api: ToolExecutionApi<never>;
	/** Writes a file behind the tools' back, its folders too. */
	put(path: string, content: string | Uint8Array): Promise<void>;
	/** The file's content, with invalid UTF-8 replaced. */
	text(path: string): Promise<string>;
	bytes(path: string): Promise<Uint8Array>;
	symlink(target: string, path: string): Promise<void>;
	/** Calls a tool as a model would, arguments repaired. */
	call(tool: ToolRegistration, args: unknown): Promise<ToolExecutionResult>;
	/** The text of the result. */
	ask(tool: ToolRegistration, args: unknown): Promise<string>;
};

/** Registers one test on this machine's files and one on files in memory. */
export function inEveryPlace(
	promise: string,
	check: (place: ToolPlace, test: TestContext) => Promise<void>,
	options: { readonly protect?: FileProtection } = {},
): void {
	it(`${promise} (Node)`, async (test) => {
		const cwd = await realpath(await mkdtemp(join(tmpdir(), "outlive-tools-")));
		test.after(() => rm(cwd, { recursive: true }));
		const env = new NodeExecutionEnv({ cwd, ...options });
		const place = createPlace(env, (target, path) => symlink(target, join(cwd, path)));
		await check(place, test);
	});
	it(`${promise} (memory)`, async (test) => {
		const env = createMemoryEnv(options);
		await check(
			createPlace(env, (target, path) => env.symlink(target, path, context)),
			test,
		);
	});
}

export function createPlace(
	env: ExecutionEnv,
	makeSymlink: (target: string, path: string) => Promise<void>,
): ToolPlace {
	const documents: MemoryDocuments = new Map();
	const place: ToolPlace = {
		env,
		documents,
		api: createMemoryToolApi({ env, documents }),
		async put(path, content) {
			const at = env.resolve(path);
			await env.mkdir(at.slice(0, at.lastIndexOf("/")), context);
			const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
			await env.writeFileAtomic(at, bytes, {}, context);
		},
		text: async (path) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await place.bytes(path)),
		bytes: async (path) => new Uint8Array(await env.readFile(path, {}, context)),
		symlink: makeSymlink,
		async call(tool, args) {
			const prepared = tool.prepareArguments?.(args) ?? args;
			return tool.execute(prepared as object, place.api, context);
		},
		async ask(tool, args) {
			const { content = [] } = await place.call(tool, args);
			return content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("\n");
		},
	};
	return place;
}
