import { bool, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool } from "../durable/types/tools.ts";
import { readForChange, writeChange } from "./change-file.ts";
import { editText } from "./edit-text.ts";
import { environmentOf } from "./environment.ts";
import { type FileDiff, fileDiff } from "./file-diff.ts";
import { withFileLock } from "./file-lock.ts";
import { locate } from "./locate.ts";
import { missingFile } from "./near-names.ts";
import { displayPath } from "./path-names.ts";
import { repairArguments } from "./repair.ts";
import { count } from "./sizes.ts";
import { decodeText, encodeText, inEncoding, readable } from "./text-encoding.ts";

const parameters = obj({
	path: str({ description: "File to edit: absolute, or relative to the working directory." }),
	old_string: str({
		description:
			"Text to replace, copied exactly from the file, with enough lines around it to be there once.",
	}),
	new_string: str({ description: "Text to put in its place." }),
	replace_all: opt(bool({ description: "Replace every occurrence. Default: false." })),
});

export type EditDetails = FileDiff & { path: string };

const aliases = {
	old_str: "old_string",
	oldString: "old_string",
	old_text: "old_string",
	oldText: "old_string",
	new_str: "new_string",
	newString: "new_string",
	new_text: "new_string",
	newText: "new_string",
	replaceAll: "replace_all",
};

export const editTool = defineTool<typeof parameters, EditDetails>({
	name: "edit",
	description:
		"Replace text in a file. old_string must be in the file exactly once, unless replace_all is set. Line ends, encoding and permissions are kept. Fails if the file changed since it was last read.",
	parameters,
	prepareArguments: repairArguments(parameters, aliases),
	async execute({ path: given, old_string, new_string, replace_all = false }, api, context) {
		const fs = environmentOf(api);
		const { path, stat } = await locate(fs, given, context);
		if (stat === undefined) throw await missingFile(fs, path, context);
		const name = displayPath(fs, path);
		return withFileLock(fs, path, context, async () => {
			const before = await readForChange(fs, path, api, context);
			const decoded = decodeText(before.bytes);
			if (decoded === undefined)
				throw new Error(`${name} is a binary file, and edit changes text. Use a command to change it.`);
			const { encoding } = decoded;
			const edited = editText(name, decoded.text, {
				oldString: inEncoding(old_string, encoding),
				newString: inEncoding(new_string, encoding),
				replaceAll: replace_all,
			});
			const bytes = encodeText(edited.text, decoded);
			await writeChange(fs, path, bytes, before, api, context);
			const difference = fileDiff(name, readable(decoded.text, encoding), readable(edited.text, encoding));
			const { added, removed, diff } = difference;
			const summary = `Edited ${name}: ${count(edited.places, "place")}, ${count(added, "line")} added, ${count(removed, "line")} removed.`;
			const text = edited.tolerant
				? `${summary} old_string differed from the file in white space or quotes; this is what changed:\n${diff}`
				: summary;
			return { content: [{ type: "text", text }], details: { path, ...difference } };
		});
	},
});
