import assert from "node:assert/strict";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { TestRunner } from "../storage/conformance.ts";
import { type FilesUnderTest, filePromises, text, write } from "./conformance/files.ts";
import { FileError } from "./file-error.ts";
import type { FileProtection } from "./file-system.ts";

/** A file system whose `cwd` is an empty folder of its own, and what the suite needs to arrange things there. */
export type FileSystemUnderTest = FilesUnderTest & {
	/** A second name of a file. */
	link(existing: string, path: string): Promise<void>;
	chmod(path: string, mode: number): Promise<void>;
	/** Leaves nothing behind. */
	dispose(): Promise<void>;
};

export type OpenFileSystem = (options: {
	readonly umask: number;
	readonly protect?: FileProtection;
}) => Promise<FileSystemUnderTest>;

const context = BACKGROUND_CONTEXT;

/** Registers, under `name`, the tests that every `FileSystem` passes. */
export function registerFileSystemConformance(
	{ describe, it }: TestRunner,
	name: string,
	open: OpenFileSystem,
): void {
	const promise = (text: string, check: (under: FileSystemUnderTest) => Promise<void>, umask = 0o022) =>
		it(text, async () => {
			const under = await open({ umask });
			try {
				await check(under);
			} finally {
				await under.dispose();
			}
		});

	describe(`${name} as a FileSystem`, () => {
		filePromises<FileSystemUnderTest>(promise);

		promise(
			"a write keeps permission bits and gives new files what the umask leaves",
			async (under) => {
				const { fs } = under;
				await write(fs, "new", "1");
				assert.equal((await fs.stat("new", context))?.mode, 0o640);
				await under.chmod("new", 0o755);
				await write(fs, "new", "2");
				assert.equal((await fs.stat("new", context))?.mode, 0o755);
				await fs.mkdir("a/b", context);
				assert.deepEqual(
					[(await fs.stat("a", context))?.mode, (await fs.stat("a/b", context))?.mode],
					[0o750, 0o750],
				);
			},
			0o027,
		);

		it("refuses a protected file under every name, before it touches it", async () => {
			let secret: { dev: bigint; ino: bigint } | undefined;
			const protect: FileProtection = ({ dev, ino }) =>
				secret?.ino === ino && secret.dev === dev ? "This is the agent's own store." : undefined;
			const under = await open({ umask: 0o022, protect });
			const { fs } = under;
			try {
				await fs.mkdir("data", context);
				await write(fs, "data/store", "precious");
				secret = await fs.stat("data/store", context);
				await under.link("data/store", "hard");
				await under.symlink("data/store", "soft");
				await under.symlink("soft", "softer");
				for (const path of ["data/store", "data/../data/store", "hard", "soft", "softer"]) {
					await assert.rejects(fs.readFile(path, {}, context), isRefusal);
					await assert.rejects(write(fs, path, "gone"), isRefusal);
				}
				await assert.rejects(fs.openBinaryReader("hard", { noFollow: true }, context), isRefusal);
				await assert.rejects(fs.remove("hard", {}, context), isRefusal);
				await assert.rejects(fs.remove("data", { recursive: true }, context), isRefusal);
				secret = undefined;
				assert.equal(await text(fs, "soft"), "precious");
			} finally {
				await under.dispose();
			}
		});
	});
}

function isRefusal(error: unknown): boolean {
	return error instanceof FileError && error.code === "protected" && error.message.includes("own store");
}
