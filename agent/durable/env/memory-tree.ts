import { posix } from "node:path";
import { FileError } from "./file-error.ts";
import type { FileProtection } from "./file-system.ts";

type NodeBase = { readonly ino: bigint; mode: number; readonly mtimeNs: bigint };
export type FileNode = NodeBase & { readonly kind: "file"; readonly bytes: Uint8Array };
export type FolderNode = NodeBase & { readonly kind: "directory"; readonly entries: Map<string, TreeNode> };
export type SymlinkNode = NodeBase & { readonly kind: "symlink"; readonly target: string };
export type TreeNode = FileNode | FolderNode | SymlinkNode;

const maxLinks = 40;

/** The node as a file that may be used; throws what a real file system would say otherwise. */
export function checkUsable(
	path: string,
	node: TreeNode | undefined,
	protect: FileProtection | undefined,
): FileNode {
	if (node === undefined) throw new FileError("not_found", path);
	if (node.kind === "directory") throw new FileError("is_a_directory", path);
	if (node.kind === "symlink") throw new FileError("is_a_symlink", path);
	const refusal = protect?.({ dev: 1n, ino: node.ino });
	if (refusal !== undefined) throw new FileError("protected", path, refusal);
	return node;
}

/** Folders, files and links by absolute, normalized path. File nodes are replaced, never changed. */
export class MemoryTree {
	#inodes = 0n;
	#time = 0n;
	readonly #root: FolderNode = { ...this.#stamp(0o755), kind: "directory", entries: new Map() };

	newFile(bytes: Uint8Array, mode: number): FileNode {
		return { ...this.#stamp(mode), kind: "file", bytes };
	}

	newSymlink(target: string): SymlinkNode {
		return { ...this.#stamp(0o777), kind: "symlink", target };
	}

	/** Links resolved, missing parts and all after them kept, as `FileSystem.canonical` promises. */
	canonical(path: string, linksFollowed = 0): string {
		if (path === "/") return path;
		const at = this.canonicalParent(path, linksFollowed);
		const node = this.find(at);
		if (node?.kind !== "symlink") return at;
		if (linksFollowed >= maxLinks) throw new FileError("too_many_symlinks", path);
		return this.canonical(posix.resolve(posix.dirname(at), node.target), linksFollowed + 1);
	}

	/** As `canonical`, but a link at the very end stays. */
	canonicalParent(path: string, linksFollowed = 0): string {
		if (path === "/") return path;
		return posix.join(this.canonical(posix.dirname(path), linksFollowed), posix.basename(path));
	}

	/** The node at a canonical path. */
	find(path: string): TreeNode | undefined {
		let node: TreeNode | undefined = this.#root;
		for (const name of path.split("/").filter((part) => part !== "")) {
			if (node?.kind !== "directory") return undefined;
			node = node.entries.get(name);
		}
		return node;
	}

	folder(path: string): FolderNode {
		const node = this.find(this.canonical(path));
		if (node === undefined) throw new FileError("not_found", path);
		if (node.kind !== "directory") throw new FileError("not_a_directory", path);
		return node;
	}

	/** Gives a node this name, in the place of a file or link that had it. */
	put(path: string, node: TreeNode): void {
		this.folder(posix.dirname(path)).entries.set(posix.basename(path), node);
	}

	makeFolders(path: string, mode: number): void {
		const at = this.canonical(path);
		const node = this.find(at);
		if (node?.kind === "directory") return;
		if (node !== undefined) throw new FileError("not_a_directory", path);
		this.makeFolders(posix.dirname(at), mode);
		this.put(at, { ...this.#stamp(mode), kind: "directory", entries: new Map() });
	}

	remove(path: string, recursive: boolean, protect: FileProtection | undefined): void {
		const node = this.find(path);
		if (node === undefined) throw new FileError("not_found", path);
		if (node.kind === "directory" && node.entries.size > 0 && !recursive)
			throw new FileError("not_empty", path);
		this.#refuseProtected(path, node, protect);
		this.folder(posix.dirname(path)).entries.delete(posix.basename(path));
	}

	#refuseProtected(path: string, node: TreeNode, protect: FileProtection | undefined): void {
		if (node.kind === "file") checkUsable(path, node, protect);
		if (node.kind !== "directory") return;
		for (const [name, child] of node.entries) this.#refuseProtected(posix.join(path, name), child, protect);
	}

	/** Times are made up and only ever rise, so that two changes never look like one. */
	#stamp(mode: number): NodeBase {
		this.#time += 1n;
		return { ino: ++this.#inodes, mode, mtimeNs: BigInt(Date.now()) * 1_000_000n + this.#time };
	}
}
