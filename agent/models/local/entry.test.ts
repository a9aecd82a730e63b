import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { until } from "../../durable/testing/until.ts";
import { createCatalog } from "../catalog.ts";
import { catalogEntries } from "../entries.ts";
import { KNOWN_SERVERS, serverAt } from "./known-servers.ts";

async function serve(
	t: TestContext,
	answer: (path: string) => [status: number, body: string],
): Promise<string> {
	const server: Server = createServer((request, response) => {
		const [status, body] = answer(request.url ?? "");
		response.writeHead(status, { location: "/elsewhere" });
		response.end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function catalogOf(
	known: { id: string; name: string; baseUrl: string }[],
	addresses: () => string[] = () => [],
) {
	const environment = async () => ({ PATH: "/missing" });
	return createCatalog({ environment, entries: catalogEntries({ local: { known, addresses } }) });
}

const ollamaAt = (baseUrl: string) => ({ id: "ollama", name: "Ollama", baseUrl });

test("a server that answers offers its models, for nothing, with the context it says it holds", async (t) => {
	const list = {
		object: "list",
		data: [
			{ id: "qwen3:8b", object: "model" },
			{ id: "llama", meta: { n_ctx_train: 131_072, n_ctx: 16_384 } },
			{ id: "nomic-embed-text" },
			{ id: "llama" },
			{ id: 7 },
		],
	};
	const baseUrl = await serve(t, (path) => (path === "/v1/models" ? [200, JSON.stringify(list)] : [404, ""]));
	const catalog = catalogOf([ollamaAt(baseUrl)]);
	const { available, providers } = await catalog.list();
	assert.deepEqual(
		available.map(({ provider, id, contextWindow, price }) => [provider, id, contextWindow, price]),
		[
			["ollama", "qwen3:8b", 32_768, null],
			["ollama", "llama", 16_384, null],
			["script", "script-1", 200_000, null],
		],
	);
	assert.equal(providers.find(({ id }) => id === "ollama")?.note, `At ${baseUrl}.`);
	assert.equal(catalog.defaultModel().modelId, "qwen3:8b");
});

test("nobody there, another web server, a redirect or an error are no model server, in one line", async (t) => {
	const others = await Promise.all([
		serve(t, () => [200, "<html>"]),
		serve(t, () => [302, ""]),
		serve(t, () => [500, "{}"]),
		serve(t, () => [200, '{"data": 1}']),
		serve(t, () => [200, '{"data": []}']),
	]);
	const known = ["http://127.0.0.1:1/v1", ...others].map(serverAt);
	const { available, unavailable } = await catalogOf(known).list();
	assert.equal(available.length, 1);
	assert.match(unavailable[1]!.reason, /^No model server answers at http:\/\/127\.0\.0\.1:1\/v1, /);
	assert.match(unavailable[1]!.fix, /localServers/);
});

test("a server that hangs, drips, floods, breaks off or speaks no HTTP hides none of the others", async (t) => {
	const raw = async (answer: (socket: Socket) => void) => {
		const sockets = new Set<Socket>();
		const server = createTcpServer((socket) => {
			sockets.add(socket);
			// The look at it ends before it does.
			socket.on("error", () => {});
			answer(socket);
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		t.after(() => {
			for (const socket of sockets) socket.destroy();
			server.close();
		});
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	};
	const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
	const broken = await Promise.all([
		raw(() => {}),
		raw((socket) => {
			socket.write(`${head}{"data": [`);
			const drip = setInterval(() => socket.write(" "), 100);
			socket.on("close", () => clearInterval(drip));
		}),
		raw((socket) => void socket.write(`${head}{"data": ["${"x".repeat(8 * 1024 * 1024)}`)),
		raw((socket) => void socket.end(`${head}{"data": [{"id": "half`)),
		raw((socket) => void socket.end("220 mail.example.com\r\n")),
	]);
	const good = await serve(t, () => [200, '{"data": [null, 1, {"id": ""}, {"id": "phi"}]}']);
	const catalog = catalogOf([...broken, good].map(serverAt));
	assert.ok((await catalog.list()).available.some(({ id }) => id === "script-1"));
	const offered = async () => (await catalog.list()).available.map(({ id }) => id);
	await until("the good one's model", async () => {
		await catalog.refresh();
		return (await offered()).includes("phi");
	});
	assert.deepEqual(await offered(), ["phi", "script-1"]);
});

test("an address in the settings is one more server as soon as it is there, and is missed when it is silent", async (t) => {
	const baseUrl = await serve(t, () => [200, '{"data": [{"id": "phi"}]}']);
	const addresses: string[] = [];
	const catalog = catalogOf([], () => addresses);
	assert.equal((await catalog.list()).available.length, 1);
	addresses.push(`${baseUrl}/`, "http://127.0.0.1:1/v1");
	await catalog.refresh();
	const { available, unavailable } = await catalog.list();
	assert.equal(available[0]?.provider, `at:${new URL(baseUrl).host}`);
	assert.match(unavailable[1]!.reason, /http:\/\/127\.0\.0\.1:1\/v1/);
	assert.doesNotMatch(unavailable[1]!.reason, new RegExp(baseUrl));
});

test("after a server has gone its models are no longer offered, but stay callable", async (t) => {
	let there = true;
	const baseUrl = await serve(t, () => (there ? [200, '{"data": [{"id": "phi"}]}'] : [500, ""]));
	const catalog = catalogOf([ollamaAt(baseUrl)]);
	await catalog.load();
	there = false;
	await catalog.refresh();
	assert.equal((await catalog.list()).available.length, 1);
	assert.equal(catalog.models.getModel("ollama", "phi")?.baseUrl, baseUrl);
});

test("a model of a server that is away from the start can be called, and fails with what is wrong", async () => {
	const catalog = catalogOf([ollamaAt("http://127.0.0.1:1/v1")]);
	await catalog.load();
	const model = catalog.models.getModel("ollama", "phi")!;
	assert.deepEqual([model.baseUrl, model.contextWindow], ["http://127.0.0.1:1/v1", 0]);
	const messages = [{ role: "user" as const, content: "hello", timestamp: 1 }];
	const answer = await catalog.models.completeSimple(model, { messages });
	assert.match(answer.errorMessage!, /Connection error/);
	assert.equal(catalog.isListed({ provider: "ollama", modelId: "phi" }), false, "no new session gets it");
	assert.equal(catalog.models.getModel("nobody", "phi"), undefined);
	assert.equal((await catalog.list()).available.length, 1);
});

test("what is looked for unasked is on this machine", () => {
	for (const { baseUrl } of KNOWN_SERVERS) assert.equal(new URL(baseUrl).hostname, "127.0.0.1");
});

test("an address is an id of its own", () => {
	assert.equal(serverAt("http://openai/v1/").id, "at:openai");
	assert.equal(serverAt("http://gpu:8000/models/one/v1").id, "at:gpu:8000-models-one");
});
