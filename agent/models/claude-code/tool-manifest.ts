import type { Tool } from "@earendil-works/pi-ai";

/** The MCP server that our tools seem to come from; there is none. */
export const SERVER = "outlive";

const PREFIX = `mcp__${SERVER}__`;

/** The name under which the CLI tells the model of a tool. */
export const toCliName = (name: string): string => PREFIX + name;

/** The tool's own name; any other name as it is. */
export const fromCliName = (name: string): string =>
	name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;

/** What the server would answer to `initialize`. */
export const serverInfo = (protocolVersion: string) => ({
	protocolVersion,
	capabilities: { tools: {} },
	serverInfo: { name: SERVER, version: "1" },
});

/** What the server would answer to `tools/list`. */
export const toolList = (tools: readonly Tool[]) => ({
	tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
});
