import type { Context } from "@earendil-works/chord";
import { int, obj, opt, str } from "@earendil-works/pi-schema";
import type { BinaryReader, FileSystem } from "../durable/env/file-system.ts";
import { defineTool, type ToolExecutionApi, type ToolExecutionResult } from "../durable/types/tools.ts";
import { fits, scaleImage } from "../images/fit-image.ts";
import { type ImageHeader, readImageHeader } from "../images/image-header.ts";
import { type ImageLimits, limitsOf } from "../images/image-limits.ts";
import { UnfitImageError } from "../images/unfit-image.ts";
import { environmentOf } from "./environment.ts";
import { listFolder } from "./list-folder.ts";
import { locate } from "./locate.ts";
import { mostListed } from "./ls.ts";
import { missingFile } from "./near-names.ts";
import { maxResultBytes, maxResultLines, textLimits } from "./output-limits.ts";
import { displayPath } from "./path-names.ts";
import { rememberRead } from "./read-files.ts";
import { readTextWindow } from "./read-text.ts";
import { repairArguments } from "./repair.ts";
import { count, formatSize } from "./sizes.ts";
import { sniffFormat, type UnicodeEncoding } from "./text-encoding.ts";

const parameters = obj({
	path: str({ description: "File to read: absolute, or relative to the working directory." }),
	offset: opt(int({ description: "First line to show, counted from 1." })),
	limit: opt(int({ description: "How many lines to show." })),
});

export type ReadDetails =
	| { kind: "text"; path: string; from: number; to: number; lines?: number }
	| { kind: "image"; path: string; mimeType: string; width: number; height: number }
	| { kind: "binary"; path: string; size: number }
	| { kind: "folder"; path: string; entries: number };

/** An image file larger than this is not even unpacked. */
const maxImageFile = 100 * 1024 * 1024;

/** Enough to tell a file's kind: JPEG puts whole thumbnails before its size. */
const headBytes = 256 * 1024;

export const readTool = defineTool<typeof parameters, ReadDetails>({
	name: "read",
	description:
		"Read a file. Text comes as it is, without line numbers, up to 2,000 lines or 50 KB at a time; a last line in brackets says how to go on with offset. Lines over 2,000 characters are cut. Images (PNG, JPEG, GIF, WebP) are shown, large ones scaled down. A folder is listed.",
	parameters,
	replay: "safe",
	outputLimits: textLimits,
	prepareArguments: repairArguments(parameters, { start: "offset", start_line: "offset", lines: "limit" }),
	async execute(args, api, context) {
		const fs = environmentOf(api);
		const { path, stat } = await locate(fs, args.path, context);
		if (stat === undefined) throw await missingFile(fs, path, context);
		if (stat.kind === "directory") return readFolder(fs, path, context);
		const reader = await fs.openBinaryReader(path, {}, context);
		try {
			const head = await reader.read(0, headBytes, context);
			const image = readImageHeader(head);
			if (image !== undefined) return await readImage(fs, path, reader, image, api, context);
			const format = sniffFormat(head);
			if (format === "binary") return binaryFile(fs, path, reader.stat.size);
			return await readText(fs, path, reader, format.encoding, args, api, context);
		} finally {
			await reader.close();
		}
	},
});

type Result = ToolExecutionResult<ReadDetails>;

async function readText(
	fs: FileSystem,
	path: string,
	reader: BinaryReader,
	encoding: UnicodeEncoding,
	wanted: { readonly offset?: number; readonly limit?: number },
	api: ToolExecutionApi<ReadDetails>,
	context: Context,
): Promise<Result> {
	const offset = Math.max(1, wanted.offset ?? 1);
	const limit = Math.min(maxResultLines, Math.max(1, wanted.limit ?? maxResultLines));
	const limits = { offset, limit, maxBytes: maxResultBytes };
	const { lines, total, hash } = await readTextWindow(reader, encoding, limits, context);
	await rememberRead(api, path, { stat: reader.stat, hash }, context);
	const to = offset + lines.length - 1;
	const details: ReadDetails = {
		kind: "text",
		path,
		from: offset,
		to,
		...(total.isAll && { lines: total.lines }),
	};
	return { content: [{ type: "text", text: shown() }], details };

	function shown(): string {
		const name = displayPath(fs, path);
		if (total.isAll && total.lines === 0) return `[${name} is empty.]`;
		if (lines.length === 0)
			return `[${name} has ${count(total.lines, "line")}; offset ${offset} is past its end.]`;
		if (total.isAll && to === total.lines) return lines.join("\n");
		const all = total.isAll ? ` of ${total.lines.toLocaleString("en-US")}` : "";
		return `${lines.join("\n")}\n\n[Lines ${offset} to ${to}${all}. Go on with offset ${to + 1}.]`;
	}
}

async function readImage(
	fs: FileSystem,
	path: string,
	reader: BinaryReader,
	header: ImageHeader,
	api: ToolExecutionApi<ReadDetails>,
	context: Context,
): Promise<Result> {
	const { size } = reader.stat;
	const { mimeType, width, height } = header;
	const name = displayPath(fs, path);
	const what = `${name} is an image (${mimeType}, ${width} × ${height} pixels, ${formatSize(size)})`;
	const details: ReadDetails = { kind: "image", path, mimeType, width, height };
	if (size > maxImageFile)
		throw new Error(`${what}, too large to be shown. Make a copy of at most ${formatSize(maxImageFile)}.`);
	const bytes = await reader.read(0, size, context);
	const limits = await limitsIn(api, context);
	if (fits(header, size, limits)) return shown(`[${what}.]`, bytes, mimeType);
	try {
		const scaled = await scaleImage(bytes, header, limits, context.abortSignal);
		const shownAs = `[${what}, shown with ${scaled.width} × ${scaled.height} pixels.]`;
		return shown(shownAs, scaled.bytes, scaled.mimeType);
	} catch (error) {
		if (!(error instanceof UnfitImageError)) throw error;
		throw new Error(`${what}, but it ${error.message}. Make a smaller copy and read that.`, { cause: error });
	}

	function shown(text: string, image: Uint8Array, type: string): Result {
		const data = Buffer.from(image).toString("base64");
		return {
			content: [
				{ type: "text", text },
				{ type: "image", data, mimeType: type },
			],
			details,
		};
	}
}

/** What the model that made the call takes of an image. */
async function limitsIn(api: ToolExecutionApi<ReadDetails>, context: Context): Promise<ImageLimits> {
	const { model } = await api.agent(context);
	return limitsOf(model && api.models.getModel(model.provider, model.modelId));
}

function binaryFile(fs: FileSystem, path: string, size: number): Result {
	const text = `[${displayPath(fs, path)} is a binary file of ${formatSize(size)}; it can't be shown as text. Look at it with a command such as file or xxd.]`;
	return { content: [{ type: "text", text }], details: { kind: "binary", path, size } };
}

async function readFolder(fs: FileSystem, path: string, context: Context): Promise<Result> {
	const { text, entries } = await listFolder(fs, path, mostListed, context);
	const heading = `[${displayPath(fs, path)} is a folder:]`;
	return {
		content: [{ type: "text", text: `${heading}\n${text}` }],
		details: { kind: "folder", path, entries },
	};
}
