import assert from "node:assert/strict";
import { test } from "node:test";
import { connectClient } from "./client.ts";
import { streamTransport } from "./node-stream-transport.ts";
import { type Child, runNode } from "./testing/node-child.ts";
import { WELCOME } from "./testing/node-stub-agent.ts";
import { rejection } from "./testing/rejection.ts";

/** What stands at the far end of `ssh … outlive connect`: it welcomes and answers each request with its params. */
const ANSWER = `
	const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
	let text = "";
	process.stdin.setEncoding("utf8").on("data", (piece) => {
		text += piece;
		for (let end = text.indexOf("\\n"); end !== -1; end = text.indexOf("\\n")) {
			const line = JSON.parse(text.slice(0, end));
			text = text.slice(end + 1);
			if (line.type === "hello") say(JSON.parse(process.argv[1]));
			else if (line.method === "agent.shutdown") process.exit(0);
			else say({ type: "response", id: line.id, result: line.params });
		}
	});
`;

function clientOf(child: Child) {
	const { stdin, stdout } = child.process;
	const transport = streamTransport({ input: stdout, output: stdin, destroy: () => child.process.kill() });
	return connectClient(transport, { client: "test" });
}

test("a client works over the standard input and output of a process, until either ends", {
	timeout: 60_000,
}, async (t) => {
	const client = await clientOf(runNode(t, ANSWER, JSON.stringify(WELCOME)));
	const params = { directory: "/srv/渐😀\u2028" };
	assert.deepEqual(await client.request("projects.allow", params), params);
	const error = await rejection(client.request("agent.shutdown", { when: "now" }));
	assert.equal(error.code, "connection_lost");
});
