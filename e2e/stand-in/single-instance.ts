import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname } from "node:path";
import { NODE } from "./node-binary.ts";

/** What a second instance hands to the first. */
export type SecondInstance = { readonly args: string[]; readonly directory: string; readonly data: unknown };

/**
 * The lock of a single instance: a file with the holder's pid, and a socket on which the holder hears of others. As in
 * Electron the caller knows at once whether it has it, and a second instance has told the first before it goes on.
 *
 * @returns the server that holds it, or undefined when another process does
 */
export function takeLock(
	path: string,
	self: SecondInstance,
	onSecond: (second: SecondInstance) => void,
): Server | undefined {
	mkdirSync(dirname(path), { recursive: true });
	const holder = pidIn(`${path}.pid`);
	if (holder !== undefined && holder !== process.pid && isAlive(holder)) {
		tell(path, self);
		return undefined;
	}
	rmSync(path, { force: true });
	writeFileSync(`${path}.pid`, String(process.pid));
	const server = createServer((socket) => {
		let text = "";
		socket.setEncoding("utf8").on("data", (chunk: string) => {
			text += chunk;
		});
		socket.on("end", () => onSecond(JSON.parse(text) as SecondInstance));
	});
	return server.listen(path).unref();
}

export function releaseLock(path: string, server: Server): void {
	server.close();
	rmSync(path, { force: true });
	rmSync(`${path}.pid`, { force: true });
}

/** In a process of its own, because this one is about to end and must not before it is done. */
function tell(path: string, self: SecondInstance): void {
	const script = `const { connect } = require("node:net");
		const socket = connect(process.argv[1], () => socket.end(process.argv[2]));`;
	const told = spawnSync(NODE, ["-e", script, path, JSON.stringify(self)], { stdio: "inherit" });
	if (told.status !== 0) throw new Error("stand-in: the first instance could not be told of this one.");
}

function pidIn(file: string): number | undefined {
	try {
		return Number(readFileSync(file, "utf8"));
	} catch {
		// Nobody holds it.
		return undefined;
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		// It was killed and left its file.
		return false;
	}
}
