import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { obj, str } from "@earendil-works/pi-schema";
import type { FileSystem } from "../durable/env/file-system.ts";
import { defineTool, type ToolExecutionApi } from "../durable/types/tools.ts";
import { type FileContent, readForChange, writeChange } from "./change-file.ts";
import { environmentOf } from "./environment.ts";
import { type FileDiff, fileDiff } from "./file-diff.ts";
import { withFileLock } from "./file-lock.ts";
import { withLineEndsOf } from "./line-ends.ts";
import { locate } from "./locate.ts";
import { displayPath } from "./path-names.ts";
import { repairArguments } from "./repair.ts";
import { count, formatSize } from "./sizes.ts";
import { decodeText, encodeText, readable } from "./text-encoding.ts";

const parameters = obj({
	path: str({ description: "File to write: absolute, or relative to the working directory." }),
	content: str({ description: "The whole new content of the file." }),
});

export type WriteDetails = FileDiff & { path: string; created?: true };

export const writeTool = defineTool<typeof parameters, WriteDetails>({
	name: "write",
	description:
		"Write a whole file, making it and its folders or replacing what is there. Prefer edit for changes. Fails if the file changed since it was last read.",
	parameters,
	prepareArguments: repairArguments(parameters, {
		contents: "content",
		text: "content",
		file_text: "content",
	}),
	async execute({ path: given, content }, api, context) {
		const fs = environmentOf(api);
		const { path, stat } = await locate(fs, given, context);
		const name = displayPath(fs, path);
		if (stat?.kind === "directory" || (stat === undefined && given.endsWith("/")))
			throw new Error(`${name} names a folder, and write makes files. Add a file name to the path.`);
		return withFileLock(fs, path, context, async () => {
			const before = await currentContent(fs, path, api, context);
			const { bytes, difference } = replacementOf(name, before, content);
			if (before === undefined) await fs.mkdir(posix.dirname(path), context);
			await writeChange(fs, path, bytes, before, api, context);
			const size = formatSize(bytes.length);
			const { added, removed } = difference;
			const text =
				before === undefined
					? `Made ${name} (${count(added, "line")}, ${size}).`
					: `Replaced ${name} (now ${size}): ${count(added, "line")} added, ${count(removed, "line")} removed.`;
			const details: WriteDetails = { path, ...difference, ...(before === undefined && { created: true }) };
			return { content: [{ type: "text", text }], details };
		});
	},
});

/** Looked up again inside the lock: a call before this one may have made the file. */
async function currentContent(
	fs: FileSystem,
	path: string,
	api: ToolExecutionApi<never>,
	context: Context,
): Promise<FileContent | undefined> {
	const stat = await fs.stat(path, context);
	return stat === undefined ? undefined : readForChange(fs, path, api, context);
}

/** The new content in the form of the old: its encoding, its mark, its line ends. */
function replacementOf(
	name: string,
	before: FileContent | undefined,
	content: string,
): { readonly bytes: Uint8Array; readonly difference: FileDiff } {
	if (before === undefined) return { bytes: encodeText(content), difference: fileDiff(name, "", content) };
	const old = decodeText(before.bytes);
	if (old === undefined) return { bytes: encodeText(content), difference: fileDiff(name, "", content) };
	const hasMark = content.startsWith("\ufeff");
	const encoding = old.encoding === "bytes" ? "utf-8" : old.encoding;
	const text = withLineEndsOf(old.text, hasMark ? content.slice(1) : content, "\n");
	return {
		bytes: encodeText(text, { encoding, bom: old.bom || hasMark }),
		difference: fileDiff(name, readable(old.text, old.encoding), text),
	};
}
