import { posix } from "node:path";
import { int, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool } from "../durable/types/tools.ts";
import { environmentOf } from "./environment.ts";
import { locate } from "./locate.ts";
import { compileNamePattern } from "./name-pattern.ts";
import { missingFile } from "./near-names.ts";
import { fitResult, textLimits } from "./output-limits.ts";
import { displayPath } from "./path-names.ts";
import { repairArguments } from "./repair.ts";
import { count } from "./sizes.ts";
import { walk } from "./walk.ts";

const parameters = obj({
	pattern: str({
		description:
			'Glob, such as "*.ts" (that name at any depth) or "src/**/*.test.ts" (that path below the folder).',
	}),
	path: opt(str({ description: "Folder to search. Default: the working directory." })),
	limit: opt(int({ description: "Most paths to show. Default: 500." })),
});

export type FindDetails = { path: string; found: number; more: boolean };

const defaultLimit = 500;
const maxLimit = 2000;

export const findTool = defineTool<typeof parameters, FindDetails>({
	name: "find",
	description:
		"Find files and folders by name, sorted by path. Hidden ones are included; .git and what .gitignore names are not.",
	parameters,
	replay: "safe",
	outputLimits: textLimits,
	prepareArguments: repairArguments(parameters, {
		glob: "pattern",
		name: "pattern",
		dir: "path",
		directory: "path",
	}),
	async execute({ pattern, path: given = ".", limit = defaultLimit }, api, context) {
		const fs = environmentOf(api);
		const { path: root, stat } = await locate(fs, given, context);
		if (stat === undefined) throw await missingFile(fs, root, context);
		if (stat.kind !== "directory")
			throw new Error(`${displayPath(fs, root)} is a file; find searches folders. Name its folder.`);
		const matches = compileNamePattern(pattern, root);
		const most = Math.min(maxLimit, Math.max(1, limit));
		const found: string[] = [];
		let more = false;
		for await (const { path, kind } of walk(fs, root, context)) {
			if (!matches(path)) continue;
			more = found.length === most;
			if (more) break;
			found.push(displayPath(fs, posix.join(root, path)) + (kind === "directory" ? "/" : ""));
		}
		const lines = fitResult(found);
		more ||= lines.length < found.length;
		if (lines.length === 0) lines.push(`[Nothing in ${displayPath(fs, root)} matches ${pattern}.]`);
		if (more)
			lines.push(
				"",
				`[The first ${count(lines.length, "path")}; there are more. Narrow the pattern or the path.]`,
			);
		return {
			content: [{ type: "text", text: lines.join("\n") }],
			details: { path: root, found: found.length, more },
		};
	},
});
