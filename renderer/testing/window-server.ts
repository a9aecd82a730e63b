import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { WebSocketServer } from "ws";
import type { SimulatedAgent } from "./simulated-agent.ts";

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".css": "text/css; charset=utf-8",
	".map": "application/json",
};

/** Serves the window's files, and connects its web sockets with the agent, at a free port of this machine. */
export async function serveWindow(folder: string, agent: SimulatedAgent) {
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
		const file = join(folder, normalize(pathname === "/" ? "/index.html" : pathname));
		if (!existsSync(file)) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, {
			"content-type": TYPES[extname(file)] ?? "application/octet-stream",
			"x-content-type-options": "nosniff",
		});
		createReadStream(file).pipe(response);
	});
	const sockets = new WebSocketServer({ server, path: "/socket" });
	/** While true, nobody is there: sockets are closed as the relay closes them when no agent runs. */
	let isAway = false;
	let attempts = 0;

	sockets.on("connection", (socket) => {
		attempts++;
		if (isAway) {
			socket.close(4001, "No agent is running.");
			return;
		}
		const connection = agent.connect({
			send: (line) => socket.send(line),
			close: () => socket.terminate(),
		});
		socket.on("message", (data) => connection.onLine(String(data)));
		socket.on("close", () => connection.onClose());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;

	return {
		url: `http://127.0.0.1:${port}/`,
		/** How often the page has tried to connect. */
		get attempts(): number {
			return attempts;
		},
		/** The agent dies, and nobody is there until `comeBack()`. */
		goAway(): void {
			isAway = true;
			agent.drop();
		},
		comeBack(): void {
			isAway = false;
		},
		async close(): Promise<void> {
			for (const socket of sockets.clients) socket.terminate();
			sockets.close();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
