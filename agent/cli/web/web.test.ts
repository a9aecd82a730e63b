import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { world } from "../../testing/world.ts";
import { serveWeb } from "./web-server.ts";

type Answer = { readonly status: number; readonly body: string; readonly cookie: string | undefined };

async function webView(context: TestContext, agentSocket = "/nowhere/agent.sock") {
	const folder = mkdtempSync(join(tmpdir(), "web-"));
	writeFileSync(join(folder, "index.html"), "<!doctype html><title>Outlive</title>");
	const server = await serveWeb({ folder, agentSocket, port: 0 });
	context.after(async () => {
		await server.close();
		rmSync(folder, { recursive: true, force: true });
	});
	const { port, pathname, search } = new URL(server.url);
	const get = (path: string, headers: Record<string, string> = {}) =>
		new Promise<Answer>((resolve, reject) => {
			const asked = request({ host: "127.0.0.1", port, path, headers }, (response) => {
				let body = "";
				response.setEncoding("utf8").on("data", (text: string) => {
					body += text;
				});
				response.on("end", () => {
					const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0];
					resolve({ status: response.statusCode ?? 0, body, cookie });
				});
			});
			asked.on("error", reject).end();
		});
	const first = `${pathname}${search}`;
	const visit = async () => (await get(first)).cookie!;
	return { port, first, get, visit };
}

function socketStatus(port: string, headers: Record<string, string>): Promise<number | "open" | "closed"> {
	return new Promise((resolve) => {
		const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers });
		socket.on("open", () => {
			resolve("open");
			socket.terminate();
		});
		socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
		socket.on("error", () => resolve("closed"));
	});
}

test("the printed address is good for one visit, which gets a cookie that scripts can't read", async (context) => {
	const { first, get } = await webView(context);
	const visit = await get(first);
	assert.equal(visit.status, 303);
	assert.equal((await get("/", { cookie: visit.cookie! })).status, 200);
	assert.equal((await get(first)).status, 403);
	assert.equal((await get("/")).status, 403);
	assert.equal((await get("/?token=wrong")).status, 403);
});

test("a foreign Host or Origin gets 403, on pages and on sockets, with the cookie too", async (context) => {
	const { port, get, visit } = await webView(context);
	const cookie = await visit();
	assert.equal((await get("/", { cookie, host: "evil.example" })).status, 403);
	assert.equal((await get("/", { cookie, origin: "http://evil.example" })).status, 403);
	const own = `http://127.0.0.1:${port}`;
	assert.equal(await socketStatus(port, { cookie, origin: "http://evil.example" }), 403);
	assert.equal(await socketStatus(port, { cookie }), 403);
	assert.equal(await socketStatus(port, { origin: own }), 403);
	assert.equal(await socketStatus(port, { cookie, origin: own }), "open");
});

test("nothing but the window's files is served", async (context) => {
	const { get, visit } = await webView(context);
	const cookie = await visit();
	for (const path of [
		"/../package.json",
		"/%2e%2e/%2e%2e/etc/passwd",
		"/index.html%00.js",
		"/none.js",
		"/.env",
	])
		assert.equal((await get(path, { cookie })).status, 404, path);
});

test("lines pass between the page and the agent as they are", async (context) => {
	const { place, start } = world(context);
	await start();
	const { port, visit } = await webView(context, place.socket);
	const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, {
		headers: { cookie: await visit(), origin: `http://127.0.0.1:${port}` },
	});
	context.after(() => socket.terminate());
	const lines: { type: string; id?: string; result?: { version: string } }[] = [];
	const answered = new Promise<void>((resolve) => {
		socket.on("message", (data) => {
			lines.push(JSON.parse(String(data)));
			if (lines.length === 2) resolve();
		});
	});
	await new Promise((resolve) => socket.once("open", resolve));
	socket.send(JSON.stringify({ type: "hello", protocols: [1], client: "test \u2028" }));
	socket.send(JSON.stringify({ type: "request", id: "r1", method: "agent.info", params: {} }));
	await answered;
	assert.deepEqual(
		lines.map(({ type }) => type),
		["welcome", "response"],
	);
});

test("a page hears whether it is certain that no agent runs", async (context) => {
	const { port, visit } = await webView(context);
	const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, {
		headers: { cookie: await visit(), origin: `http://127.0.0.1:${port}` },
	});
	const code = await new Promise((resolve) => socket.once("close", resolve));
	assert.equal(code, 4001);
});
