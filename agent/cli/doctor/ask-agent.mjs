import { lstatSync } from "node:fs";
import { createConnection } from "node:net";

/**
 * @typedef {{ protocol: number, agent: string, pid: number, startedAt: number }} Welcome
 * @typedef {{ ok: boolean, disk: { freeBytes: number, state: string }, database: { bytes: number, state: string, checkedAt: number | null }, lastBackupAt: number | null, problems: { code: string, message: string, fix?: string }[] }} Health
 * @typedef {{ version: string, pid: number, uptimeMs: number, rss: number, sessions: { total: number, running: number }, health: Health }} AgentInfo
 *
 * @typedef {{ state: "missing" } | { state: "refused" } | { state: "not-a-socket" }
 *   | { state: "unknown", reason: string }
 *   | { state: "incompatible", message: string }
 *   | { state: "answering", welcome: Welcome, info: AgentInfo | undefined, problem: string | undefined }} AgentAnswer
 *   `unknown` proves nothing: a frozen agent, one that is starting, and a lack of permission look like this
 */

const PROTOCOL = 1;
const LINE_LIMIT = 32 * 1024 * 1024;

/**
 * Says hello to the agent and asks it for `agent.info`, over its socket, without the protocol's library, which
 * Node 20 can't read. Starts nothing.
 *
 * @param {string} socket the socket's path
 * @param {number} timeout milliseconds for the whole talk
 * @returns {Promise<AgentAnswer>}
 */
export async function askAgent(socket, timeout) {
	const kind = lookAt(socket);
	if (kind !== undefined) return kind;
	return new Promise((resolve) => {
		/** @type {Welcome | undefined} */
		let welcome;
		const connection = createConnection(socket);
		const end = (/** @type {AgentAnswer} */ answer) => {
			clearTimeout(timer);
			connection.destroy();
			resolve(answer);
		};
		const stop = (/** @type {string} */ reason) =>
			end(
				welcome === undefined
					? { state: "unknown", reason }
					: { state: "answering", welcome, info: undefined, problem: reason },
			);
		const timer = setTimeout(() => stop(`it does not answer within ${timeout / 1000} s`), timeout);

		connection.once("connect", () =>
			send({ type: "hello", protocols: [PROTOCOL], client: "outlive-doctor" }),
		);
		connection.once("error", (/** @type {NodeJS.ErrnoException} */ error) => {
			if (welcome === undefined && error.code === "ECONNREFUSED") end({ state: "refused" });
			else if (welcome === undefined && error.code === "ENOENT") end({ state: "missing" });
			else stop(`the connection failed (${error.message})`);
		});
		connection.once("close", () => stop("it closed the connection"));
		readLines(connection, stop, (message) => {
			if (message.type === "welcome") {
				welcome = /** @type {Welcome} */ (/** @type {unknown} */ (message));
				send({ type: "request", id: "doctor", method: "agent.info", params: {} });
			} else if (message.type === "error" && welcome === undefined) {
				end({ state: "incompatible", message: String(message.message) });
			} else if (message.type === "response" && message.id === "doctor" && welcome !== undefined) {
				const info = /** @type {AgentInfo | undefined} */ (message.result);
				const error = /** @type {{ message?: string } | undefined} */ (message.error);
				end({ state: "answering", welcome, info, problem: error?.message });
			}
		});

		/** @param {object} message */
		function send(message) {
			connection.write(`${JSON.stringify(message)}\n`);
		}
	});
}

/** @param {string} socket @returns {AgentAnswer | undefined} what the file system alone can tell */
function lookAt(socket) {
	try {
		return lstatSync(socket).isSocket() ? undefined : { state: "not-a-socket" };
	} catch (error) {
		const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
		if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
		return { state: "unknown", reason: `its socket can't be looked at (${message})` };
	}
}

/**
 * @param {import("node:net").Socket} connection
 * @param {(reason: string) => void} onWrong
 * @param {(message: Record<string, unknown>) => void} onMessage
 */
function readLines(connection, onWrong, onMessage) {
	let rest = Buffer.alloc(0);
	connection.on("data", (chunk) => {
		rest = Buffer.concat([rest, chunk]);
		for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
			const line = rest.subarray(0, end).toString("utf8");
			rest = rest.subarray(end + 1);
			/** @type {unknown} */
			let message;
			try {
				message = JSON.parse(line);
			} catch {
				return onWrong("it does not speak Outlive's protocol");
			}
			if (typeof message !== "object" || message === null)
				return onWrong("it does not speak Outlive's protocol");
			onMessage(/** @type {Record<string, unknown>} */ (message));
		}
		if (rest.length > LINE_LIMIT) onWrong("it sent a line without an end");
	});
}
