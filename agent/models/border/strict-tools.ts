import type { Message, Tool } from "@earendil-works/pi-ai";

/** The most tools, and parameters that may be left out in all of them, that Claude decodes strictly in one request. */
const MOST_TOOLS = 20;
const MOST_OPTIONAL = 16;

/**
 * Asks for strict decoding of arguments, which pi-ai does where the model's API has it and the schema allows it; of the
 * first tools, as many as every API takes.
 *
 * @param offered the tools of the request, in order
 */
export function withStrictTools(messages: readonly Message[], offered: readonly Tool[]): Message[] {
	const chosen = strictNames(offered);
	const ask = (tool: Tool): Tool =>
		chosen.has(tool.name)
			? { ...tool, constrainedSampling: { type: "json_schema", strict: "prefer" } }
			: tool;
	return messages.map((message) =>
		message.role === "system" && message.toolsAdded !== undefined
			? { ...message, toolsAdded: message.toolsAdded.map(ask) }
			: message,
	);
}

function strictNames(offered: readonly Tool[]): ReadonlySet<string> {
	const chosen = new Set<string>();
	let optional = 0;
	for (const tool of offered) {
		const more = optionalParameters(tool);
		if (
			tool.constrainedSampling !== undefined ||
			chosen.size === MOST_TOOLS ||
			optional + more > MOST_OPTIONAL
		)
			continue;
		optional += more;
		chosen.add(tool.name);
	}
	return chosen;
}

function optionalParameters({ parameters }: Tool): number {
	const { properties = {}, required = [] } = parameters as {
		readonly properties?: object;
		readonly required?: readonly string[];
	};
	return Object.keys(properties).length - required.length;
}
