import { createServer, type Server } from "node:http";

/**
 * A model server that speaks OpenAI's Chat Completions and has one model, `model`. To a message it answers with a call of
 * `bash` that runs the command, and to the call's result with "It is done."
 */
export function createToolCallingServer(command: string): Server {
	return createServer(async (request, response) => {
		// Each request then finds out by itself whether there is a network.
		response.setHeader("connection", "close");
		let text = "";
		for await (const chunk of request.setEncoding("utf8")) text += chunk;
		if (request.method === "GET") {
			response.end(JSON.stringify({ data: [{ id: "model" }] }));
			return;
		}
		const { messages } = JSON.parse(text) as { messages: readonly { readonly role: string }[] };
		const isDone = messages.at(-1)?.role === "tool";
		const call = {
			...{ index: 0, id: "call_1", type: "function" },
			function: { name: "bash", arguments: JSON.stringify({ command }) },
		};
		const chunks = isDone
			? [{ delta: { content: "It is done." } }, { delta: {}, finish_reason: "stop" }]
			: [{ delta: { tool_calls: [call] } }, { delta: {}, finish_reason: "tool_calls" }];
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (const chunk of chunks)
			response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...chunk }] })}\n\n`);
		response.end("data: [DONE]\n\n");
	});
}
