import { StorageDamaged } from "../durable/index.ts";
import { openNodeSqliteStorage, recoverDamaged, type SqliteStorage } from "../durable/storage/sqlite/node.ts";
import type { HealthProblem } from "../protocol/index.ts";

export type OpenedStore = {
	readonly storage: SqliteStorage;
	/** What a person should hear of: nothing, or that the store was damaged and what may be missing. */
	readonly problems: readonly HealthProblem[];
	readonly restored: boolean;
};

/**
 * Opens the store for this process alone. A damaged one is set aside and the last good copy takes its place: what was
 * stored in between is missing, and the problem says so.
 */
export async function openStore(file: string, backups: string, now: () => number): Promise<OpenedStore> {
	const options = { exclusive: true, backupsDir: backups };
	try {
		return { storage: await openNodeSqliteStorage(file, options), problems: [], restored: false };
	} catch (error) {
		if (!(error instanceof StorageDamaged)) throw error;
		const { setAside, restoredFrom, missing } = await recoverDamaged(file, backups);
		const since = missing.since === undefined ? undefined : new Date(missing.since).toISOString();
		const problem: HealthProblem = {
			code: "database_restored",
			message:
				since === undefined || restoredFrom === undefined
					? `The store was damaged and no good copy of it was found, so it starts empty. The damaged one lies in ${setAside}.`
					: `The store was damaged, so the copy of ${since} was put in its place. What was stored after that is missing.`,
			fix: `The damaged store is kept in ${setAside}.`,
			at: now(),
		};
		return { storage: await openNodeSqliteStorage(file, options), problems: [problem], restored: true };
	}
}
