import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** What a server answers with: an error, or a stream of server-sent events and how it ends. */
export type StreamAnswer =
	| { readonly status: number; readonly body: object; readonly headers?: Readonly<Record<string, string>> }
	/** Nothing comes. */
	| { readonly end: "silent" }
	| { readonly events: readonly object[]; readonly end: "complete" | "cut" | "hang" };

export type StreamServer = {
	readonly url: string;
	/** What it was sent: the path, the headers and the body. */
	readonly requests: {
		readonly path: string;
		readonly headers: IncomingMessage["headers"];
		readonly body: string;
	}[];
};

/** A server on this machine that gives these answers in turn, the last again and again; taken away when the test ends. */
export async function startStreamServer(
	t: TestContext,
	...answers: readonly [StreamAnswer, ...StreamAnswer[]]
): Promise<StreamServer> {
	const requests: StreamServer["requests"] = [];
	const server = createServer(async (request, response) => {
		let text = "";
		for await (const chunk of request.setEncoding("utf8")) text += chunk;
		requests.push({ path: request.url ?? "", headers: request.headers, body: text });
		const answer = answers[Math.min(requests.length, answers.length) - 1]!;
		if ("status" in answer) {
			response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
			response.end(JSON.stringify(answer.body));
			return;
		}
		if (answer.end === "silent") return;
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (const event of answer.events) {
			// Anthropic and OpenAI's Responses name each event, as its type.
			const name = "type" in event ? `event: ${event.type}\n` : "";
			response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
		}
		if (answer.end === "hang") return;
		if (answer.end === "complete") response.end();
		else response.write(": what follows is lost\n\n", () => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
