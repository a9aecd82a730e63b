import type { Agent, AgentState, Settings } from "../types/agent.ts";
import type { Extension, PromptSection, RegistrySnapshot } from "../types/extensions.ts";
import type { ToolRegistration } from "../types/tools.ts";
import { INSTRUCTIONS_SECTION } from "./registry.ts";

/**
 * A conversation's stored choices as code: names resolved against one registry snapshot and the settings. A name that
 * isn't installed is skipped, and takes effect again once it is. `report` hears of wrappers that broke.
 */
export function resolveAgent(
	stored: Readonly<AgentState>,
	snapshot: RegistrySnapshot,
	settings: Settings,
	report: (error: unknown) => void,
): Agent {
	const extensions = selectExtensions(stored.extensions, snapshot, settings);
	return {
		...(stored.model === undefined ? {} : { model: stored.model }),
		thinkingLevel: stored.thinkingLevel ?? "off",
		extensions,
		tools: selectTools(stored.tools, extensions, report),
		sections: selectSections(stored.instructions, extensions, report),
		...(stored.instructions === undefined ? {} : { instructions: stored.instructions }),
		...(stored.cwd === undefined ? {} : { cwd: stored.cwd }),
	};
}

function selectExtensions(
	stored: AgentState["extensions"],
	snapshot: RegistrySnapshot,
	settings: Settings,
): Extension[] {
	const base = (settings.extensions ?? snapshot.installed()).map(({ name }) => name);
	let names: readonly string[];
	if (stored === undefined) names = base;
	else if (Array.isArray(stored)) names = stored;
	else names = [...base, ...(stored.add ?? [])].filter((name) => !stored.remove?.includes(name));
	return [...new Set(names)].flatMap((name) => snapshot.extension(name) ?? []);
}

function selectTools(
	filter: AgentState["tools"],
	extensions: readonly Extension[],
	report: (error: unknown) => void,
): ToolRegistration[] {
	const byName = new Map<string, ToolRegistration>();
	// A later tool of the same name takes the earlier one's place.
	for (const extension of extensions) for (const tool of extension.tools ?? []) byName.set(tool.name, tool);
	for (const extension of extensions)
		for (const wrap of extension.wraps ?? [])
			if ("tool" in wrap) applyWrap(byName, wrap.tool, wrap.wrap, (tool) => tool.name, report);
	if (filter === undefined) return [...byName.values()];
	if (Array.isArray(filter)) return [...new Set(filter)].flatMap((name) => byName.get(name) ?? []);
	return [...byName.values()].filter(({ name }) => !filter.remove.includes(name));
}

function selectSections(
	instructions: string | undefined,
	extensions: readonly Extension[],
	report: (error: unknown) => void,
): PromptSection[] {
	const byKey = new Map<string, PromptSection>();
	for (const extension of extensions)
		for (const section of extension.sections ?? []) byKey.set(section.key, section);
	for (const extension of extensions)
		for (const wrap of extension.wraps ?? [])
			if ("section" in wrap) applyWrap(byKey, wrap.section, wrap.wrap, (section) => section.key, report);
	const sections = [...byKey.values()];
	if (instructions !== undefined) sections.push({ key: INSTRUCTIONS_SECTION, render: () => instructions });
	return sections;
}

/** A wrapper that throws, or that returns something of another name, takes its target away. */
function applyWrap<T>(
	targets: Map<string, T>,
	name: string,
	wrap: (target: T) => T,
	nameOf: (target: T) => string,
	report: (error: unknown) => void,
): void {
	const target = targets.get(name);
	if (target === undefined) return;
	try {
		const wrapped = wrap(target);
		if (nameOf(wrapped) !== name) throw new Error(`A wrapper of ${name} returned ${nameOf(wrapped)}`);
		targets.set(name, wrapped);
	} catch (error) {
		targets.delete(name);
		report(error);
	}
}
