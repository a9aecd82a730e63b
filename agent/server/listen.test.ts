import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ProtocolError } from "../protocol/index.ts";
import { listenAt } from "./listen.ts";

test("the socket is there under its name alone, and closed to others from the first moment", async (t) => {
	const folder = await temporaryFolder(t);
	const path = join(folder, "agent.sock");
	const server = newServer(t);
	await listenAt(server, path);
	const stats = await lstat(path);
	assert.equal(stats.isSocket(), true);
	assert.equal(stats.mode & 0o777, 0o600);
	assert.deepEqual(await readdir(folder), ["agent.sock"]);
	await connected(path);
});

test("a permissive umask leaves no moment in which others could connect", async (t) => {
	const folder = await temporaryFolder(t);
	const server = newServer(t);
	const before = process.umask(0);
	try {
		await listenAt(server, join(folder, "agent.sock"));
		assert.equal(process.umask(), 0, "the process's own umask is as it was");
	} finally {
		process.umask(before);
	}
	assert.equal((await lstat(join(folder, "agent.sock"))).mode & 0o777, 0o600);
});

test("another user can't connect", async (t) => {
	if (process.getuid?.() !== 0) {
		t.skip("only root can act as another user here");
		return;
	}
	const folder = await temporaryFolder(t);
	// The folder's own permissions would keep them out too; here only the socket's do.
	await chmod(folder, 0o755);
	const path = join(folder, "agent.sock");
	await listenAt(newServer(t), path);
	const script = `
		require("node:net").connect(${JSON.stringify(path)})
			.on("connect", () => { console.log("connected"); process.exit(); })
			.on("error", (error) => console.log(error.code));`;
	const child = spawn(process.execPath, ["-e", script], { uid: 65_534, gid: 65_534, stdio: "pipe" });
	let said = "";
	child.stdout.on("data", (chunk) => {
		said += chunk;
	});
	await once(child, "close");
	assert.equal(said.trim(), "EACCES");
});

test("the socket of an agent that died gives way, and closing takes nothing of the successor's away", async (t) => {
	const folder = await temporaryFolder(t);
	const path = join(folder, "agent.sock");
	const old = newServer(t);
	await listenAt(old, path);
	const kept = new Promise<void>((resolve) => old.on("connection", () => resolve()));
	const client = connect(path);
	await kept;
	// In one process both would bind the same name, so the successor's is made as its rename leaves it.
	const successor = newServer(t);
	await new Promise<void>((resolve) => successor.listen(`${path}.successor`, resolve));
	const { rename } = await import("node:fs/promises");
	await rename(`${path}.successor`, path);
	client.destroy();
	await new Promise((resolve) => old.close(resolve));
	await connected(path);
	assert.deepEqual(await readdir(folder), ["agent.sock"]);
});

test("after a close the socket's file stays, and refuses: it proves that no agent is there", async (t) => {
	const folder = await temporaryFolder(t);
	const path = join(folder, "agent.sock");
	const server = newServer(t);
	await listenAt(server, path);
	await new Promise((resolve) => server.close(resolve));
	assert.equal((await lstat(path)).isSocket(), true);
	await assert.rejects(connected(path), { code: "ECONNREFUSED" });
	await listenAt(newServer(t), path);
	await connected(path);
});

test("a file in the socket's place is refused and left as it is", async (t) => {
	const folder = await temporaryFolder(t);
	const path = join(folder, "agent.sock");
	await writeFile(path, "precious");
	await assert.rejects(listenAt(newServer(t), path), /exists and is not a socket.*move it away/s);
	assert.equal(await readFile(path, "utf8"), "precious");
	assert.deepEqual(await readdir(folder), ["agent.sock"]);
});

test("a link in the socket's place is refused, also one that leads to a socket", async (t) => {
	const folder = await temporaryFolder(t);
	const elsewhere = join(folder, "elsewhere");
	const other = newServer(t);
	await new Promise<void>((resolve) => other.listen(elsewhere, resolve));
	await symlink(elsewhere, join(folder, "agent.sock"));
	await assert.rejects(listenAt(newServer(t), join(folder, "agent.sock")), /is not a socket/);
	await connected(elsewhere);
});

test("what is left of a bind that was cut off is taken away, but never a person's file", async (t) => {
	const folder = await temporaryFolder(t);
	const path = join(folder, "agent.sock");
	const leftover = newServer(t);
	await new Promise<void>((resolve) => leftover.listen(`${path}.${process.pid}`, resolve));
	await listenAt(newServer(t), path);
	await connected(path);
	await writeFile(`${path}.${process.pid}`, "precious");
	await assert.rejects(listenAt(newServer(t), path), /is not a socket/);
	assert.equal(await readFile(`${path}.${process.pid}`, "utf8"), "precious");
});

test("a path that is too long for a socket says which setting to change", async (t) => {
	const folder = await temporaryFolder(t);
	await assert.rejects(
		listenAt(newServer(t), join(folder, "x".repeat(90), "agent.sock")),
		(error: ProtocolError) =>
			error.code === "socket_path_too_long" && error.message.includes("OUTLIVE_DATA_DIR"),
	);
});

async function temporaryFolder(t: TestContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "ol-"));
	t.after(() => rm(folder, { recursive: true, force: true }));
	return folder;
}

function newServer(t: TestContext): Server {
	const server = createServer((socket) => socket.end());
	t.after(() => server.close());
	return server;
}

async function connected(path: string): Promise<void> {
	const socket = connect(path);
	await once(socket, "connect");
	socket.destroy();
}
