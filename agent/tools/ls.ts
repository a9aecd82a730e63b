import { obj, opt, type Static, str } from "@earendil-works/pi-schema";
import { defineTool } from "../durable/types/tools.ts";
import { environmentOf } from "./environment.ts";
import { listFolder } from "./list-folder.ts";
import { locate } from "./locate.ts";
import { missingFile } from "./near-names.ts";
import { textLimits } from "./output-limits.ts";
import { displayPath } from "./path-names.ts";
import { repairArguments } from "./repair.ts";

const parameters = obj({
	path: opt(str({ description: "Folder to list. Default: the working directory." })),
});

export type LsDetails = { path: string; entries: number };

export const mostListed = 1000;

export const lsTool = defineTool<typeof parameters, LsDetails>({
	name: "ls",
	description:
		"List a folder, hidden files included, sorted by name. Folders end with /, symbolic links with @. For names below it, use find.",
	parameters,
	replay: "safe",
	outputLimits: textLimits,
	prepareArguments: repairArguments(parameters, { dir: "path", directory: "path", folder: "path" }),
	async execute({ path = "." }: Static<typeof parameters>, api, context) {
		const fs = environmentOf(api);
		const { path: at, stat } = await locate(fs, path, context);
		if (stat === undefined) throw await missingFile(fs, at, context);
		if (stat.kind !== "directory")
			throw new Error(`${displayPath(fs, at)} is a file, not a folder. Use read to see what is in it.`);
		const { text, entries } = await listFolder(fs, at, mostListed, context);
		return { content: [{ type: "text", text }], details: { path: at, entries } };
	},
});
