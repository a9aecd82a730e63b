import { connect } from "node:net";
import type { WebSocket } from "ws";
import { createLineSplitter, frameLine } from "../../protocol/index.ts";

/** What the page understands: whether it is certain that no agent runs (see `renderer/transport/web-socket.ts`). */
const NOT_RUNNING = 4001;
const NO_ANSWER = 4002;

/** What may wait for a page that doesn't read before the agent's socket is left alone too, in bytes. */
const MOST_WAITING = 4 * 1024 * 1024;
const LOOK_AGAIN_MS = 20;

/** Joins a page's web socket with a new connection to the agent: a text frame is a line, and nobody reads them here. */
export function relay(page: WebSocket, agentSocket: string): void {
	const agent = connect({ path: agentSocket });
	const splitter = createLineSplitter();
	let connected = false;

	agent.once("connect", () => {
		connected = true;
	});
	agent.on("data", (bytes) => {
		for (const line of splitter.push(bytes)) {
			if (line.ok) page.send(line.text);
			else page.close(NO_ANSWER);
		}
		if (page.bufferedAmount > MOST_WAITING) {
			agent.pause();
			resumeWhenRead();
		}
	});
	agent.on("error", (error: NodeJS.ErrnoException) => {
		const absent = error.code === "ENOENT" || error.code === "ECONNREFUSED";
		page.close(absent && !connected ? NOT_RUNNING : NO_ANSWER);
	});
	agent.on("close", () => page.close(1000));

	page.on("message", (data, isBinary) => {
		if (isBinary) page.close(1003);
		else if (!agent.write(frameLine(String(data)))) {
			page.pause();
			agent.once("drain", () => page.resume());
		}
	});
	page.on("close", () => agent.destroy());
	page.on("error", () => agent.destroy());

	function resumeWhenRead(): void {
		if (page.readyState !== page.OPEN) return;
		if (page.bufferedAmount < MOST_WAITING / 2) agent.resume();
		else setTimeout(resumeWhenRead, LOOK_AGAIN_MS);
	}
}
