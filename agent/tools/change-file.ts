import type { Context } from "@earendil-works/chord";
import { FileError } from "../durable/env/file-error.ts";
import type { FileStat, FileSystem } from "../durable/env/file-system.ts";
import type { ToolExecutionApi } from "../durable/types/tools.ts";
import { displayPath } from "./path-names.ts";
import { changedSince, hashOf, lastRead, rememberRead } from "./read-files.ts";
import { formatSize } from "./sizes.ts";

/** Files above this are for commands: their text and its diff would have to be held in memory several times over. */
const maxEditableBytes = 16 * 1024 * 1024;

export type FileContent = { readonly stat: FileStat; readonly bytes: Uint8Array };

/** The whole file to be changed, unless it isn't what the model last read of it in this conversation. */
export async function readForChange(
	fs: FileSystem,
	path: string,
	api: ToolExecutionApi<never>,
	context: Context,
): Promise<FileContent> {
	const reader = await fs.openBinaryReader(path, {}, context);
	try {
		const { stat } = reader;
		const name = displayPath(fs, path);
		if (stat.size > maxEditableBytes)
			throw new Error(
				`${name} has ${formatSize(stat.size)}; files up to ${formatSize(maxEditableBytes)} can be changed this way. Use a command.`,
			);
		const bytes = await reader.read(0, stat.size, context);
		const known = await lastRead(api, path, context);
		if (known !== undefined && changedSince(known, { stat, hash: hashOf(bytes) }))
			throw new Error(
				`${name} changed since you last read it, so nothing was written. Read it again, then repeat the change.`,
			);
		return { stat, bytes };
	} finally {
		await reader.close();
	}
}

/** Puts the new content in place of what was read, or of nothing, and remembers that the model knows it. */
export async function writeChange(
	fs: FileSystem,
	path: string,
	bytes: Uint8Array,
	before: FileContent | undefined,
	api: ToolExecutionApi<never>,
	context: Context,
): Promise<void> {
	try {
		const stat = await fs.writeFileAtomic(path, bytes, { expect: before?.stat ?? "absent" }, context);
		await rememberRead(api, path, { stat, hash: hashOf(bytes) }, context);
	} catch (error) {
		if (!(error instanceof FileError) || error.code !== "changed") throw error;
		const name = displayPath(fs, path);
		throw new Error(
			`${name} changed while this call was working on it, so nothing was written. Read it again, then repeat the change.`,
			{ cause: error },
		);
	}
}
