import type { Context } from "@earendil-works/chord";
import type { Storage, StorageWrite } from "../types/storage.ts";

/** Decides before each commit: an error fails it with nothing stored. */
export type Fault = (writes: readonly StorageWrite[]) => Error | undefined;

export type FaultyStorage = {
	readonly storage: Storage;
	/** Set by the test; undefined lets everything through. */
	beforeCommit: Fault | undefined;
	/** Like `beforeCommit`, but the batch is stored before the error is thrown, as a failing flush leaves it. */
	afterCommit: Fault | undefined;
	/** Batches handed to the storage, refused ones included. */
	commits: number;
};

/** A storage whose commits fail as a test says. */
export function createFaultyStorage(inner: Storage): FaultyStorage {
	const faulty: FaultyStorage = {
		beforeCommit: undefined,
		afterCommit: undefined,
		commits: 0,
		storage: new Proxy(inner, {
			get(target, name) {
				if (name === "commit") return commit;
				const member: unknown = Reflect.get(target, name, target);
				return typeof member === "function" ? member.bind(target) : member;
			},
		}),
	};

	async function commit(writes: readonly StorageWrite[], context: Context) {
		faulty.commits++;
		const refused = faulty.beforeCommit?.(writes);
		if (refused !== undefined) throw refused;
		const seq = await inner.commit(writes, context);
		const failed = faulty.afterCommit?.(writes);
		if (failed !== undefined) throw failed;
		return seq;
	}

	return faulty;
}
