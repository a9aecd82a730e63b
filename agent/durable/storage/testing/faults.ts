import type { OpenDriver, SqliteDriver, SqlValue } from "../sqlite/driver.ts";

/** One call on its way to SQLite, or back from it. */
export type DriverCall = {
	readonly sql: string;
	readonly when: "before" | "after";
	readonly driver: SqliteDriver;
};

/**
 * A driver whose every call is shown to `watch`, before and after SQLite does it. Throwing there makes the call fail:
 * before it, or after it took effect.
 */
export function watched(open: OpenDriver, watch: (call: DriverCall) => void): OpenDriver {
	return (file, mode) => {
		const inner = open(file, mode);
		const pass = <T>(sql: string, work: () => T): T => {
			watch({ sql, when: "before", driver: inner });
			const result = work();
			watch({ sql, when: "after", driver: inner });
			return result;
		};
		return {
			exec: (sql) => pass(sql, () => inner.exec(sql)),
			prepare(sql) {
				const statement = inner.prepare(sql);
				return {
					run: (...values: SqlValue[]) => pass(sql, () => statement.run(...values)),
					get: <Row>(...values: SqlValue[]) => pass(sql, () => statement.get<Row>(...values)),
					all: <Row>(...values: Parameters<typeof statement.all>) =>
						pass(sql, () => statement.all<Row>(...values)),
				};
			},
			pragma: (text) => pass(`PRAGMA ${text}`, () => inner.pragma(text)),
			get inTransaction() {
				return inner.inTransaction;
			},
			backup: (target) => inner.backup(target),
			close: () => inner.close(),
		};
	};
}

/** An error as SQLite would throw it. */
export function sqliteError(code: string): Error {
	return Object.assign(new Error(`made up for a test: ${code}`), { code });
}

/** Calls that are to fail once each. */
export function createFault() {
	const planned: { sql: string; when: "before" | "after"; code: string }[] = [];
	return {
		/** Makes the next call of a statement that begins with `sql` fail, before or after it took effect. */
		failNext(sql: string, when: "before" | "after", code: string): void {
			planned.push({ sql, when, code });
		},
		watch({ sql, when }: DriverCall): void {
			const at = planned.findIndex((fault) => fault.when === when && sql.startsWith(fault.sql));
			if (at < 0) return;
			throw sqliteError(planned.splice(at, 1)[0]!.code);
		},
	};
}
