import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	type Account,
	AgentDoc,
	type AgentState,
	type Clock,
	type ConversationId,
	type Harness,
	systemClock,
	type Tx,
} from "../../durable/index.ts";
import { DayDocs, type DayState, DaysDoc } from "./documents.ts";
import { addRow, emptyRow, rowOf, type SpendingRow } from "./row.ts";

/** One sum of a report: of one day, project and model. */
export type Spent = {
	/** Local, `YYYY-MM-DD`. */
	readonly day: string;
	/** The folder of the session; empty for what belongs to none. */
	readonly project: string;
	/** `provider/model`, or `tool/name`; empty for runs that ended without a model. */
	readonly model: string;
	readonly row: Readonly<SpendingRow>;
};

/** What all sessions spent. */
export type Spending = {
	/** For `HarnessOptions.account`. */
	account(tx: Tx, account: Account): Promise<void>;
	/** Begins to follow the harness; resolves once today's spending is known. */
	follow(harness: Harness): Promise<void>;
	/** What this local day spent so far. In memory. */
	today(): readonly Spent[];
	/** Called after each commit that changed today's spending, and when a day begins. */
	subscribe(listener: () => void): () => void;
	/** @param since in ms since the epoch; its whole day counts. Default: from the first day on */
	report(since?: number): Promise<readonly Spent[]>;
	/** Stops following. */
	close(): void;
};

/** @param projectOf the folder of the session that is this conversation */
export function createSpending(options: {
	readonly projectOf: (root: ConversationId) => string | undefined;
	readonly clock?: Clock;
}): Spending {
	const { projectOf, clock = systemClock } = options;
	const listeners = new Set<() => void>();
	const stops: (() => void)[] = [];
	let followed: Harness | undefined;
	let newest: { readonly day: string; readonly state: DayState | undefined } | undefined;

	const changed = () => {
		for (const listener of listeners) listener();
	};
	const todayKey = () => dayOf(clock.now());

	function waitForMidnight(): void {
		const cancel = clock.after(untilMidnight(clock.now()), () => {
			changed();
			waitForMidnight();
		});
		stops[0] = cancel;
	}

	return {
		async account(tx, { spent, ended }) {
			const day = todayKey();
			const models = new Map<ConversationId, string>();
			const rows: { root: ConversationId; on: string; row: SpendingRow }[] = [];
			for (const { conversationId, root, on, usage } of spent) {
				if (!on.startsWith("tool/")) models.set(conversationId, on);
				if (usage.totalTokens > 0 || usage.cost.total > 0) rows.push({ root, on, row: rowOf(usage) });
			}
			for (const { conversationId, root } of ended) {
				if (conversationId !== root) continue;
				const on = models.get(conversationId) ?? (await chosenModel(tx, conversationId));
				rows.push({ root, on, row: { ...emptyRow(), runs: 1 } });
			}
			if (rows.length === 0) return;
			const { days } = await tx.doc(DaysDoc);
			if (!days.includes(day)) days.push(day);
			const state = (await tx.doc(DayDocs, day, null)) as DayState;
			for (const { root, on, row } of rows) addRow(rowIn(state, projectOf(root) ?? "", on), row);
		},
		async follow(harness) {
			followed = harness;
			waitForMidnight();
			stops.push(
				harness.subscribeCommits(({ documents }) => {
					for (const { record, value } of documents) {
						if (record.kind !== DayDocs.definition.kind || record.key === undefined) continue;
						newest = { day: record.key, state: value as DayState };
						changed();
					}
				}),
			);
			const day = todayKey();
			const state = await harness.snapshot(DayDocs, day, BACKGROUND_CONTEXT);
			newest ??= { day, state };
		},
		today: () => (newest?.day === todayKey() ? spentIn(newest.day, newest.state) : []),
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		async report(since = 0) {
			const first = dayOf(since);
			const days = (await followed?.snapshot(DaysDoc, BACKGROUND_CONTEXT))?.days ?? [];
			const wanted = days.filter((day) => day >= first);
			const states = await Promise.all(
				wanted.map((day) => followed?.snapshot(DayDocs, day, BACKGROUND_CONTEXT)),
			);
			return wanted.flatMap((day, index) => spentIn(day, states[index] as DayState | undefined));
		},
		close() {
			for (const stop of stops) stop();
		},
	};
}

/** The model of a run that ended without a word of it. */
async function chosenModel(tx: Tx, id: ConversationId): Promise<string> {
	const { model } = (await tx.doc(AgentDoc, id)) as AgentState;
	return model === undefined ? "" : `${model.provider}/${model.modelId}`;
}

/** Its row, made when it isn't there; looked up again, since a draft wraps what is put into it. */
function rowIn(state: DayState, project: string, on: string): SpendingRow {
	state.projects[project] ??= {};
	const models = state.projects[project];
	models[on] ??= emptyRow();
	return models[on];
}

function spentIn(day: string, state: DayState | undefined): Spent[] {
	return Object.entries(state?.projects ?? {}).flatMap(([project, models]) =>
		Object.entries(models).map(([model, row]) => ({ day, project, model, row })),
	);
}

/** The local day of a moment, `YYYY-MM-DD`. */
function dayOf(at: number): string {
	const date = new Date(at);
	const two = (value: number) => String(value).padStart(2, "0");
	return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function untilMidnight(now: number): number {
	const next = new Date(now);
	next.setHours(24, 0, 0, 0);
	return Math.max(1_000, next.getTime() - now);
}
