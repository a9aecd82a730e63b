import type { Context } from "@earendil-works/chord";
import { FileError } from "./file-error.ts";
import type { FileProtection, FileStat, FileSystem } from "./file-system.ts";
import { checkUsable, type FileNode, MemoryTree, type TreeNode } from "./memory-tree.ts";
import { readWholeFile } from "./read-whole-file.ts";
import { resolvePath } from "./resolve-path.ts";

export type MemoryFileSystemOptions = {
	/** Made when it isn't there. Default `/project`. */
	readonly cwd?: string;
	/** Default `/home/user`. */
	readonly home?: string;
	/** Default: unique, since two file systems in memory never see the same files. */
	readonly id?: string;
	/** Default `0o022`. */
	readonly umask?: number;
	readonly protect?: FileProtection;
	/** Content by path; folders are made as needed. */
	readonly files?: Readonly<Record<string, string | Uint8Array>>;
};

/** What a test or host may do to the files besides using them. */
export interface MemoryFileSystem extends FileSystem {
	symlink(target: string, path: string, context: Context): Promise<void>;
	/** A second name of a file. */
	link(existing: string, path: string, context: Context): Promise<void>;
	chmod(path: string, mode: number, context: Context): Promise<void>;
}

let created = 0;

/** Files that exist in this process only. Permission bits are kept but nobody is refused by them. */
export function createMemoryFileSystem(options: MemoryFileSystemOptions = {}): MemoryFileSystem {
	const { cwd = "/project", home = "/home/user", umask = 0o022, protect, files = {} } = options;
	const id = options.id ?? `memory-${++created}`;
	const tree = new MemoryTree();
	const resolve = (path: string) => resolvePath(path, { cwd, home });
	tree.makeFolders(cwd, 0o777 & ~umask);
	for (const [path, content] of Object.entries(files)) {
		const at = resolve(path);
		tree.makeFolders(at.slice(0, at.lastIndexOf("/")) || "/", 0o777 & ~umask);
		const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
		tree.put(at, tree.newFile(bytes, 0o666 & ~umask));
	}

	/** Each operation is one step: nothing else runs between its first look and its last change. */
	async function step<T>(path: string, context: Context, operation: (at: string) => T): Promise<T> {
		context.abortSignal?.throwIfAborted();
		return operation(resolve(path));
	}

	const fs: MemoryFileSystem = {
		id,
		cwd,
		resolve,
		canonical: (path, context) => step(path, context, (at) => tree.canonical(at)),
		stat: (path, context) => step(path, context, (at) => statOf(tree.find(tree.canonical(at)))),
		lstat: (path, context) => step(path, context, (at) => statOf(tree.find(tree.canonicalParent(at)))),
		readFile: (path, { maxBytes }, context) => readWholeFile(fs, path, maxBytes, context),
		openBinaryReader: (path, { noFollow }, context) =>
			step(path, context, (at) => {
				const node = tree.find(noFollow === true ? tree.canonicalParent(at) : tree.canonical(at));
				const file = checkUsable(at, node, protect);
				// As with an open descriptor, a file that is replaced is read on as it was.
				const { bytes } = file;
				return {
					stat: statOf(file)!,
					read: (offset, length, readContext) =>
						step(path, readContext, () => bytes.slice(offset, offset + length)),
					close: async () => {},
				};
			}),
		openDirReader: (path, context) =>
			step(path, context, (at) => {
				const entries = [...tree.folder(at).entries].map(([name, node]) => ({ name, kind: node.kind }));
				let position = 0;
				return {
					next: (maxEntries, readContext) =>
						step(path, readContext, () => {
							const page = entries.slice(position, position + Math.max(1, maxEntries));
							position += page.length;
							return { entries: page, done: position >= entries.length };
						}),
					close: async () => {},
				};
			}),
		writeFileAtomic: (path, bytes, { expect }, context) =>
			step(path, context, (at) => {
				const target = tree.canonical(at);
				const current = tree.find(target);
				if (current !== undefined) checkUsable(at, current, protect);
				if (expect !== undefined && !isExpected(current, expect)) throw new FileError("changed", at);
				const file = tree.newFile(bytes.slice(), current?.mode ?? 0o666 & ~umask);
				tree.put(target, file);
				return statOf(file)!;
			}),
		mkdir: (path, context) => step(path, context, (at) => tree.makeFolders(at, 0o777 & ~umask)),
		remove: (path, { recursive = false }, context) =>
			step(path, context, (at) => tree.remove(tree.canonicalParent(at), recursive, protect)),
		symlink: (target, path, context) =>
			step(path, context, (at) => tree.put(tree.canonicalParent(at), tree.newSymlink(target))),
		link: (existing, path, context) =>
			step(path, context, (at) => {
				const node = checkUsable(resolve(existing), tree.find(tree.canonical(resolve(existing))), undefined);
				tree.put(tree.canonicalParent(at), node);
			}),
		chmod: (path, mode, context) =>
			step(path, context, (at) => {
				const node = tree.find(tree.canonical(at));
				if (node === undefined) throw new FileError("not_found", at);
				node.mode = mode & 0o7777;
			}),
	};
	return fs;
}

function statOf(node: TreeNode | undefined): FileStat | undefined {
	if (node === undefined) return undefined;
	const size = node.kind === "file" ? node.bytes.length : 0;
	return { kind: node.kind, size, mode: node.mode, mtimeNs: node.mtimeNs, dev: 1n, ino: node.ino };
}

function isExpected(current: FileNode | TreeNode | undefined, expect: FileStat | "absent"): boolean {
	if (current === undefined || expect === "absent") return current === undefined && expect === "absent";
	return current.ino === expect.ino && current.mtimeNs === expect.mtimeNs;
}
