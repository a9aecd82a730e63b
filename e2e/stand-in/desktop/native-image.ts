import { existsSync, readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import type { NativeImage } from "electron";
import { strict } from "../strict.ts";

type Represented = Pick<NativeImage, "isEmpty" | "getSize" | "isTemplateImage" | "toPNG">;

/** The image of a PNG file; empty when there is none, as in Electron. */
export function imageFromPath(path: string): NativeImage {
	const png = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
	const image: Represented = {
		isEmpty: () => png.length === 0,
		getSize: () =>
			png.length === 0
				? { width: 0, height: 0 }
				: { width: png.readUInt32BE(16), height: png.readUInt32BE(20) },
		// On macOS the name says it.
		isTemplateImage: () => /Template(@\dx)?$/.test(basename(path, extname(path))),
		toPNG: () => png,
	};
	return strict("NativeImage", image) as NativeImage;
}

export const nativeImage = strict("nativeImage", {
	createFromPath: imageFromPath,
} satisfies Pick<typeof Electron.nativeImage, "createFromPath">);
