import type { MethodName, Params } from "../methods.ts";

/** An image of one pixel. */
export const PIXEL =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** For each method, params that are valid: the least there can be, and the most. */
export const VALID: { [M in MethodName]: readonly Params<M>[] } = {
	"agent.info": [{}],
	"agent.shutdown": [{ when: "idle" }, { when: "now" }],
	"agent.handover": [
		{ version: "0.10.2", storeFormat: 1, when: "now" },
		{ version: "1.0.0-beta.1", storeFormat: 3, when: "idle" },
	],
	"projects.list": [{}],
	"projects.allow": [{ directory: "/srv/渐😀 x" }, { directory: "~" }, { directory: "~/code" }],
	"models.list": [{}, { directory: "/tmp" }],
	"models.setKey": [
		{ provider: "anthropic", key: "k-1" },
		{ provider: "anthropic", key: "k-1", file: true },
	],
	"sessions.list": [
		{},
		{ query: "", idPrefix: "1", project: "/srv", archived: true, cursor: "c", limit: 200 },
	],
	"sessions.create": [
		{ directory: "/srv", requestId: "q-1" },
		{
			directory: "/srv",
			title: "Fix it",
			model: "openrouter/anthropic/claude",
			content: [
				{ type: "text", text: "Look:\n" },
				{ type: "image", data: PIXEL, mimeType: "image/png" },
			],
			requestId: "q".repeat(200),
		},
	],
	"sessions.watch": [{}, { limit: 1000 }],
	"session.watch": [{ session: "1" }, { session: "1", tail: 500 }],
	"session.entries": [
		{ session: "1", before: "9", limit: 1 },
		{ session: "1", after: "9", limit: 500 },
		{ session: "1", around: "9", limit: 1 },
	],
	"session.output": [{ session: "1", call: "toolu_1|fc_2", offset: 0, limit: 1024 * 1024 }],
	"session.send": [
		{ session: "1", content: "Hello\u2028", requestId: "q" },
		{ session: "1", content: [{ type: "text", text: "a" }], requestId: "q", whenBusy: "steer" },
	],
	"session.edit": [
		{ session: "1", submission: "2", content: "Better" },
		{ session: "1", submission: "2", whenBusy: "followUp" },
	],
	"session.withdraw": [{ session: "1", submission: "2" }],
	"session.answer": [
		{ session: "1", request: "2", choice: "once", requestId: "q" },
		{ session: "1", request: "2", text: "Yes, both.", requestId: "q" },
	],
	"session.stop": [
		{ session: "1" },
		{ session: "1", run: "2" },
		{ session: "1", call: "c" },
		{ session: "1", background: true },
	],
	"session.tryNow": [{ session: "1" }],
	"session.configure": [
		{ session: "1", archived: false },
		{ session: "1", model: null, thinkingLevel: null, tools: null },
		{ session: "1", model: "a/b", thinkingLevel: "xhigh", tools: ["read", "bash"], title: "T" },
	],
	"session.seen": [{ session: "1", entry: "2" }],
	"session.fork": [
		{ session: "1", at: "2" },
		{ session: "1", at: "2", requestId: "q" },
	],
	"session.compact": [
		{ session: "1" },
		{ session: "1", instructions: "Keep the file names.", requestId: "q" },
	],
	"session.reset": [{ session: "1" }, { session: "1", note: "Start over.", requestId: "q" }],
	"session.changes": [{ session: "1" }, { session: "1", since: "2" }],
	"session.rewind": [{ session: "1", to: "2", preview: true }],
	"files.complete": [
		{ session: "1", query: "" },
		{ directory: "/srv", query: "src/", limit: 20 },
	],
	"folders.list": [{}, { directory: "~/code" }],
	"folders.create": [{ directory: "~/Outlive/first" }],
	usage: [{ by: "day" }, { since: 0, by: "project" }],
	search: [
		{ query: "x", limit: 1 },
		{ query: "x", project: "/srv", since: 1, archived: true, limit: 200 },
	],
	unwatch: [{ watch: "w1" }],
};
