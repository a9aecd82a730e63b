import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { registerFileSystemConformance } from "./file-system-conformance.ts";
import { createMemoryFileSystem } from "./memory-file-system.ts";

const context = BACKGROUND_CONTEXT;

registerFileSystemConformance({ describe, it }, "Memory", async (options) => {
	const fs = createMemoryFileSystem(options);
	return {
		fs,
		symlink: (target, path) => fs.symlink(target, path, context),
		link: (existing, path) => fs.link(existing, path, context),
		chmod: (path, mode) => fs.chmod(path, mode, context),
		dispose: async () => {},
	};
});
