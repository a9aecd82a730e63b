import type { Context } from "@earendil-works/chord";
import { FileError } from "./file-error.ts";
import type { FileSystem } from "./file-system.ts";

const defaultMaxBytes = 64 * 1024 * 1024;

/** The content of a regular file, read to its end: what the system makes up while reading (`/proc`) has a size of 0. */
export async function readWholeFile(
	fs: Pick<FileSystem, "openBinaryReader" | "resolve">,
	path: string,
	maxBytes: number = defaultMaxBytes,
	context: Context,
): Promise<Uint8Array> {
	const reader = await fs.openBinaryReader(path, {}, context);
	try {
		const parts: Uint8Array[] = [];
		let size = 0;
		let wanted = reader.stat.size + 1;
		while (size + wanted <= maxBytes + 1) {
			const part = await reader.read(size, wanted, context);
			parts.push(part);
			size += part.length;
			if (part.length < wanted) return parts.length === 1 ? part : concatenate(parts, size);
			wanted = Math.max(1, Math.min(256 * 1024, maxBytes + 1 - size));
		}
		throw new FileError("too_large", fs.resolve(path));
	} finally {
		await reader.close();
	}
}

function concatenate(parts: readonly Uint8Array[], size: number): Uint8Array {
	const whole = new Uint8Array(size);
	let offset = 0;
	for (const part of parts) {
		whole.set(part, offset);
		offset += part.length;
	}
	return whole;
}
