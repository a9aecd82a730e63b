import Database from "better-sqlite3";

/** What a conversation and its documents need once, and the store's own counters: not part of a commit's work. */
const ONCE = ["meta", "conversations", "documents"];
/** Texts differ by a digit of an id here and there. */
const TOLERANCE = 0.02;

type Contents = { readonly rows: number; readonly bytes: number };

/**
 * Throws when one of two stores has rows that the other hasn't, or has much more in them: then the comparison of their
 * commits would be one of different work.
 */
export function assertSameRows(left: string, right: string): void {
	const [ofLeft, ofRight] = [contentsOf(left), contentsOf(right)];
	for (const table of new Set([...ofLeft.keys(), ...ofRight.keys()])) {
		const [one, other] = [ofLeft.get(table), ofRight.get(table)];
		// A document's first value may be stored with its conversation, or after it.
		const rows = Math.abs((one?.rows ?? 0) - (other?.rows ?? 0));
		const bytes = Math.abs((one?.bytes ?? 0) - (other?.bytes ?? 0)) / Math.max(1, one?.bytes ?? 0);
		if (rows > MOST_DOCUMENTS || bytes > TOLERANCE)
			throw new Error(
				`The table ${table} has ${describe(one)} after the harness's commits and ${describe(other)} after the bare ` +
					"statements: bring commits/raw-commits.ts up to what a commit stores now.",
			);
	}
}

/** The documents that the harness makes for each conversation, each with one row of content. */
const MOST_DOCUMENTS = 10;

function contentsOf(file: string): Map<string, Contents> {
	const database = new Database(file, { readonly: true });
	try {
		const tables = database
			.prepare(
				// An index for searching keeps its own in ordinary tables beside it.
				"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL %'",
			)
			.pluck()
			.all() as string[];
		return new Map(
			tables.filter((name) => !ONCE.includes(name)).map((name) => [name, contentsOfTable(database, name)]),
		);
	} finally {
		database.close();
	}
}

function contentsOfTable(database: Database.Database, table: string): Contents {
	const columns = (database.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);
	const bytes = columns.map((name) => `coalesce(sum(length(CAST("${name}" AS BLOB))), 0)`).join(" + ");
	return database.prepare(`SELECT count(*) AS rows, ${bytes} AS bytes FROM "${table}"`).get() as Contents;
}

function describe(contents: Contents | undefined): string {
	return contents === undefined ? "no rows" : `${contents.rows} rows of ${contents.bytes} bytes`;
}
