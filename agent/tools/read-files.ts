import { createHash } from "node:crypto";
import type { Context } from "@earendil-works/chord";
import type { FileStat } from "../durable/env/file-system.ts";
import { defineDoc } from "../durable/types/documents.ts";
import type { ToolExecutionApi } from "../durable/types/tools.ts";

/** A file as the model knows it. */
export type ReadFile = {
	/** Changes whenever the file does, and sometimes when it doesn't (`touch`). */
	readonly version: string;
	/** Of the whole content; absent when only a part of a large file was read. */
	readonly hash?: string;
	/** Counts up, so that the oldest can be forgotten. */
	readonly at: number;
};

/**
 * What this conversation's model last saw of which file, by canonical path. A fork knows what its parent knew where
 * it begins: rewindable, and small because only the newest files are kept.
 */
export const ReadFiles = defineDoc<{ files: Record<string, ReadFile> }>({
	kind: "outlive.read-files",
	version: 1,
	scope: "conversation",
	history: "rewindable",
	fork: "asOf",
	initial: () => ({ files: {} }),
	checkpointWhen: (_value, _ops, { deltasSinceBase }) => deltasSinceBase >= 64,
});

const mostFiles = 200;

export function fileVersion(stat: FileStat): string {
	return `${stat.mtimeNs}:${stat.size}:${stat.ino}`;
}

/** For `ReadFile.hash`, over the content in pieces. */
export function contentHash(): { update(bytes: Uint8Array): void; digest(): string } {
	const hash = createHash("sha256");
	return {
		update: (bytes) => {
			hash.update(bytes);
		},
		digest: () => hash.digest("base64url").slice(0, 22),
	};
}

export function hashOf(bytes: Uint8Array): string {
	const hash = contentHash();
	hash.update(bytes);
	return hash.digest();
}

/** Remembers, in one commit, that the model now knows the file as it is. */
export async function rememberRead(
	api: ToolExecutionApi<never>,
	path: string,
	seen: { readonly stat: FileStat; readonly hash: string | undefined },
	context: Context,
): Promise<void> {
	const version = fileVersion(seen.stat);
	const known = await lastRead(api, path, context);
	if (known?.version === version && known.hash === seen.hash) return;
	await api.commit(async (tx) => {
		const { files } = await tx.doc(ReadFiles, api.conversationId);
		const newest = Math.max(0, ...Object.values(files).map(({ at }) => at));
		files[path] = { version, ...(seen.hash === undefined ? {} : { hash: seen.hash }), at: newest + 1 };
		const paths = Object.keys(files);
		if (paths.length > mostFiles) delete files[paths.reduce((a, b) => (files[a]!.at < files[b]!.at ? a : b))];
	}, context);
}

export async function lastRead(
	api: ToolExecutionApi<never>,
	path: string,
	context: Context,
): Promise<ReadFile | undefined> {
	const known = await api.snapshot(ReadFiles, api.conversationId, context);
	return known?.files[path];
}

/** Whether the file is no longer what the model last read. Content decides where it is known, else the version. */
export function changedSince(
	known: ReadFile,
	now: { readonly stat: FileStat; readonly hash: string },
): boolean {
	return known.hash === undefined ? known.version !== fileVersion(now.stat) : known.hash !== now.hash;
}
