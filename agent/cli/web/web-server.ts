import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { createAccess } from "./access.ts";
import { relay } from "./relay.ts";
import { readStaticFile } from "./static-files.ts";

/** As long as a line of the protocol may be. */
const MOST_FRAME_BYTES = 32 * 1024 * 1024;

export type WebServer = {
	/** With its one-time token. */
	readonly url: string;
	close(): Promise<void>;
};

/**
 * Serves the window and its socket on 127.0.0.1.
 *
 * @param options.folder of the window's files
 * @param options.agentSocket path of the agent's socket; connected to anew for each page
 * @param options.port 0 for a free one; rejects when it is taken
 */
export async function serveWeb(options: {
	readonly folder: string;
	readonly agentSocket: string;
	readonly port: number;
}): Promise<WebServer> {
	let port = options.port;
	const access = createAccess(() => port);
	const server = createServer((request, response) => {
		void answer(request, response).catch(() => {
			// The file could not be read: the page says that it could not be loaded.
			response.writeHead(500).end();
		});
	});
	const sockets = new WebSocketServer({
		noServer: true,
		maxPayload: MOST_FRAME_BYTES,
		perMessageDeflate: false,
	});

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const judged = access.judge(request);
		if (judged.kind === "refused") {
			response.writeHead(403, { "content-type": "text/plain; charset=utf-8" });
			response.end(
				"This address has been used, or isn't the one that was printed. Run `outlive web` again.\n",
			);
			return;
		}
		if (judged.kind === "first-visit") {
			response
				.writeHead(303, { location: "/", "set-cookie": judged.cookie, "cache-control": "no-store" })
				.end();
			return;
		}
		if (request.method !== "GET" && request.method !== "HEAD") {
			response.writeHead(405, { allow: "GET, HEAD" }).end();
			return;
		}
		const { pathname } = new URL(request.url ?? "/", "http://localhost");
		const file = await readStaticFile(options.folder, decodeURIComponent(pathname));
		if (file === undefined) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, {
			"content-type": file.type,
			"content-length": file.bytes.length,
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
			"referrer-policy": "no-referrer",
			"cross-origin-opener-policy": "same-origin",
			"x-frame-options": "DENY",
		});
		response.end(request.method === "HEAD" ? undefined : file.bytes);
	}

	server.on("upgrade", (request, socket, head) => {
		const { pathname } = new URL(request.url ?? "/", "http://localhost");
		// A browser always says where a socket comes from.
		const allowed = request.headers.origin !== undefined && access.judge(request).kind === "allowed";
		if (pathname !== "/socket" || !allowed) {
			socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
			return;
		}
		sockets.handleUpgrade(request, socket, head, (page) => relay(page, options.agentSocket));
	});

	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(options.port, "127.0.0.1", resolve);
	});
	port = (server.address() as AddressInfo).port;
	return {
		url: `http://127.0.0.1:${port}${access.firstPath()}`,
		async close() {
			for (const page of sockets.clients) page.terminate();
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
