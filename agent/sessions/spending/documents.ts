import { defineDoc, defineDocFamily, type JsonObject } from "../../durable/index.ts";
import type { SpendingRow } from "./row.ts";

/** What one day spent: by the project's folder, then by `provider/model` or `tool/name`. */
export type DayState = { projects: Record<string, Record<string, SpendingRow>> };

/** A document a local day, named `YYYY-MM-DD`. Stored as changes: a day is written hundreds of times. */
export const DayDocs = defineDocFamily<DayState & JsonObject, null>({
	kind: "outlive.spending",
	version: 1,
	scope: "session",
	family: true,
	initial: () => ({ projects: {} }),
	checkpointWhen: (_value, _ops, { deltasSinceBase }) => deltasSinceBase >= 50,
});

/** The days that have such a document, oldest first. */
export const DaysDoc = defineDoc<{ days: string[] } & JsonObject>({
	kind: "outlive.spending-days",
	version: 1,
	scope: "session",
	initial: () => ({ days: [] }),
	checkpointWhen: () => true,
});
