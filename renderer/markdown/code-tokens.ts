/** The colours code has; each is the name of a highlight in the style sheet. */
export const GROUPS = ["keyword", "string", "comment", "number", "name", "meta", "added", "removed"] as const;

export type ColourRequest = { readonly id: number; readonly language: string; readonly code: string };

/** `tokens` is flat: start, end (UTF-16 units) and group of one after the other. */
export type ColourAnswer = { readonly id: number; readonly tokens: readonly number[] };

const SCOPES: Readonly<Record<string, (typeof GROUPS)[number]>> = {
	keyword: "keyword",
	literal: "keyword",
	type: "keyword",
	built_in: "keyword",
	string: "string",
	regexp: "string",
	char: "string",
	symbol: "string",
	comment: "comment",
	quote: "comment",
	doctag: "comment",
	number: "number",
	bullet: "number",
	title: "name",
	section: "name",
	function: "name",
	class: "name",
	name: "name",
	"selector-tag": "keyword",
	"selector-class": "name",
	"selector-id": "name",
	attr: "meta",
	attribute: "meta",
	property: "meta",
	meta: "meta",
	variable: "meta",
	"template-variable": "meta",
	tag: "meta",
	addition: "added",
	deletion: "removed",
};

/** The group of one of highlight.js's classes, `hljs-title`; undefined for what stays as the text is. */
export function groupOf(className: string): number | undefined {
	const scope = SCOPES[className.replace(/^hljs-/, "")];
	return scope === undefined ? undefined : GROUPS.indexOf(scope);
}
