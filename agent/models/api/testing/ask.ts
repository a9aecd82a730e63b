import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { AssistantMessage, Message, Tool, UserMessage } from "@earendil-works/pi-ai";
import { createCatalog } from "../../catalog.ts";
import { catalogEntries } from "../../entries.ts";
import type { Family } from "./families.ts";
import { type StreamAnswer, type StreamServer, startStreamServer } from "./stream-server.ts";

/** A key of no one's, to be looked for. */
export const KEY = "sk-of-a-test-0123456789";

export const READ: Tool = {
	name: "read",
	description: "Reads a file",
	parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export type Heard = {
	readonly server: StreamServer;
	/** The types of the events, in order. */
	readonly events: readonly string[];
	readonly message: AssistantMessage;
};

export const said = (content: UserMessage["content"]): UserMessage => ({
	role: "user",
	content,
	timestamp: 1,
});

/** Asks the family's model, at a server of the test's own that gives this answer. */
export function ask(t: TestContext, family: Family, answer: StreamAnswer): Promise<Heard> {
	return askWith(t, family, [said("Hello?")], {}, answer);
}

/** Asks with a whole transcript, and another model or other tools than the family's and `read`. */
export async function askWith(
	t: TestContext,
	family: Family,
	messages: readonly Message[],
	{ model: id = family.model, tools = [READ] }: { readonly model?: string; readonly tools?: readonly Tool[] },
	...answers: readonly [StreamAnswer, ...StreamAnswer[]]
): Promise<Heard> {
	const server = await startStreamServer(t, ...answers);
	const environment = async () => ({ PATH: "/missing", [family.variable]: KEY });
	const keys = { read: async () => undefined, write: async () => "file" as const };
	const { models, load } = createCatalog({
		environment,
		entries: catalogEntries({ api: { environment, keys } }),
	});
	await load();
	const model = models.getModel(family.provider, id);
	assert.ok(model !== undefined, `${family.provider}/${id}`);
	const stream = models.streamSimple(
		{ ...model, baseUrl: `${server.url}${family.basePath}` },
		{ tools: [...tools], messages: [...messages] },
		{ maxRetries: 0 },
	);
	const events: string[] = [];
	for await (const { type } of stream) events.push(type);
	return { server, events, message: await stream.result() };
}

export const textOf = ({ content }: AssistantMessage) =>
	content.map((part) => (part.type === "text" ? part.text : "")).join("");
