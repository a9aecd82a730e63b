import {
	closeSync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	rmSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import type { StoreFile, StoreFolder } from "./folder.ts";

/** A folder of this machine. It must exist; its files are for its owner only. */
export function openNodeFolder(path: string): StoreFolder {
	return {
		path,
		list: () => readdirSync(path),
		open: (name, mode) => openFile(join(path, name), mode),
		rename: (from, to) => renameSync(join(path, from), join(path, to)),
		remove: (name) => rmSync(join(path, name), { force: true }),
		sync: () => syncFolder(path),
	};
}

function openFile(path: string, mode: "existing" | "create"): StoreFile {
	const handle = openSync(path, mode === "create" ? "w+" : "r+", 0o600);
	let isOpen = true;
	return {
		size: () => fstatSync(handle).size,
		read(offset, bytes) {
			let done = 0;
			while (done < bytes.length) {
				const count = readSync(handle, bytes, done, bytes.length - done, offset + done);
				if (count === 0) break;
				done += count;
			}
			return done;
		},
		write(offset, bytes) {
			for (let done = 0; done < bytes.length; )
				done += writeSync(handle, bytes, done, bytes.length - done, offset + done);
		},
		truncate: (size) => ftruncateSync(handle, size),
		sync: () => fsyncSync(handle),
		close() {
			if (isOpen) closeSync(handle);
			isOpen = false;
		},
	};
}

function syncFolder(path: string): void {
	const handle = openSync(path, "r");
	try {
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}
