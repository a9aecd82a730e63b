import type { Message, SystemMessage, Tool } from "@earendil-works/pi-ai";
import { getCurrentTools, getToolStateChanges, toToolDeclaration } from "@earendil-works/pi-ai";
import { SystemEntry } from "../harness/built-in-entries.ts";
import type { ContextView } from "../types/context-view.ts";
import type { ContextEdit, EntryDraft } from "../types/entries.ts";

/** Prompt sections by key, in order. */
export type Sections = ReadonlyMap<string, string>;

/** The sections the transcript already shows the model. */
export function shownSections(messages: readonly Message[]): Map<string, string> {
	const shown = new Map<string, string>();
	for (const message of messages) {
		if (message.role !== "system") continue;
		for (const [key, text] of Object.entries(message.sections ?? {})) {
			if (text === null) shown.delete(key);
			else shown.set(key, text);
		}
	}
	return shown;
}

type Patch = Pick<SystemMessage, "sections" | "toolsAdded" | "toolsRemoved">;

/**
 * The `pi.system` entries that bring the transcript to the desired prompt and tools: none when it shows them already,
 * else as little as possible, so that what didn't change never breaks a provider's prompt cache. After a head that cut
 * the earlier ones away, one whole baseline that also leaves out what is left of them.
 */
export function planSystemEntries(
	view: ContextView,
	desired: Sections,
	tools: readonly Tool[],
	now: number,
): EntryDraft[] {
	const declared = tools.map(toToolDeclaration);
	if (needsBaseline(view)) return [baseline(view, desired, declared, now)];
	const replayed = view.contributions.flat();
	const patches = sectionPatches(shownSections(replayed), desired);
	const toolPatch = planTools(getCurrentTools(replayed), declared);
	if (toolPatch !== undefined) {
		const last = patches.pop() ?? {};
		patches.push({ ...last, ...toolPatch });
	}
	return patches.map((patch) => systemEntry(patch, now));
}

function needsBaseline({ head, entries }: ContextView): boolean {
	return head !== undefined && !entries.some((entry) => SystemEntry.is(entry) && entry.id > head.id);
}

function baseline(view: ContextView, desired: Sections, tools: Tool[], now: number): EntryDraft {
	const edits: ContextEdit[] = view.entries
		.filter((entry) => SystemEntry.is(entry))
		.map((entry) => ({ target: entry.id, action: "omit" }));
	const entry = systemEntry({ sections: Object.fromEntries(desired), toolsAdded: tools }, now);
	return edits.length === 0 ? entry : { ...entry, edits };
}

function sectionPatches(shown: Sections, desired: Sections): Patch[] {
	const patch: Record<string, string | null> = {};
	for (const key of shown.keys()) if (!desired.has(key)) patch[key] = null;
	for (const [key, text] of desired) if (shown.get(key) !== text) patch[key] = text;
	if (Object.keys(patch).length === 0 && sameOrder([...shown.keys()], [...desired.keys()])) return [];
	const kept = [...shown.keys()].filter((key) => desired.has(key));
	const added = [...desired.keys()].filter((key) => !shown.has(key));
	if (sameOrder([...kept, ...added], [...desired.keys()])) return [{ sections: patch }];
	// A patch can't move a section: take all away, then show all in their order.
	return [
		{ sections: Object.fromEntries([...shown.keys()].map((key) => [key, null])) },
		{ sections: Object.fromEntries(desired) },
	];
}

function planTools(offered: readonly Tool[], desired: readonly Tool[]): Patch | undefined {
	const { toolsAdded, toolsRemoved } = getToolStateChanges(offered, desired);
	const removed = new Set(toolsRemoved.map(({ name }) => name));
	const result = [...offered.filter(({ name }) => !removed.has(name)), ...toolsAdded].map(({ name }) => name);
	if (
		!sameOrder(
			result,
			desired.map(({ name }) => name),
		)
	)
		return { toolsRemoved: offered.map(({ name }) => ({ name })), toolsAdded: [...desired] };
	if (toolsAdded.length === 0 && toolsRemoved.length === 0) return undefined;
	return {
		...(toolsRemoved.length === 0 ? {} : { toolsRemoved }),
		...(toolsAdded.length === 0 ? {} : { toolsAdded }),
	};
}

function sameOrder(left: readonly string[], right: readonly string[]): boolean {
	return left.length === right.length && left.every((key, index) => key === right[index]);
}

function systemEntry(patch: Patch, timestamp: number): EntryDraft {
	return { kind: SystemEntry.kind, model: [{ role: "system", content: "", ...patch, timestamp }] };
}
