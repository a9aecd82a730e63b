import { readFileSync, statSync } from "node:fs";
import { checked, size, time } from "./check.mjs";

/** @typedef {import("./check.mjs").Check} Check */
/** @typedef {import("./places.mjs").Places} Places */
/** @typedef {import("./ask-agent.mjs").AgentAnswer} AgentAnswer */

/**
 * The agent, its database and how the last one ended. The database is never opened here: only its owner may, and
 * opening and closing it from elsewhere could drop the owner's locks. A running agent is asked about it.
 *
 * @param {Places} places
 * @param {AgentAnswer} answer
 * @param {string | undefined} ownVersion of the product that the doctor belongs to
 * @returns {Check[]}
 */
export function checkAgent(places, answer, ownVersion) {
	return [
		agentState(places, answer),
		...versions(answer, ownVersion),
		checked("database", () => database(places, answer)),
		...problems(answer),
		...lastEnd(places, answer),
	];
}

/** @param {Places} places @param {AgentAnswer} answer @returns {Check} */
function agentState(places, answer) {
	const name = "agent";
	switch (answer.state) {
		case "missing":
			return { name, status: "info", detail: "None is running. The window and the command line start one." };
		case "refused":
			return {
				name,
				status: "info",
				detail: `None is running; ${places.socket} is left from one that was killed. The next one replaces it.`,
			};
		case "not-a-socket":
			return {
				name,
				status: "fail",
				detail: `${places.socket} is not a socket, and the agent needs that name.`,
				fix: "Look at what it is and move it away.",
			};
		case "unknown":
			return {
				name,
				status: "fail",
				detail: `It can't be told whether one is running: ${answer.reason}.${ownerNote(places)}`,
				fix: `Wait a minute and look again; if it stays like this, see ${places.log}.`,
			};
		case "incompatible":
			return {
				name,
				status: "warn",
				detail: `One is running, of another version: ${answer.message}`,
				fix: UPDATE,
			};
		case "answering": {
			const { pid, startedAt } = answer.welcome;
			const sessions = answer.info?.sessions;
			const work =
				sessions === undefined ? "" : `; ${sessions.running} of ${sessions.total} sessions are running`;
			const detail = `Process ${pid} answers, since ${time(startedAt)}${work}.`;
			if (answer.problem === undefined) return { name, status: "ok", detail };
			return { name, status: "warn", detail: `${detail} Asked for its state, it said: ${answer.problem}` };
		}
	}
}

const UPDATE = "Update the older of the two; the agent is replaced when idle, and no run ends.";

/** @param {AgentAnswer} answer @param {string | undefined} own @returns {Check[]} */
function versions(answer, own) {
	if (answer.state !== "answering" || own === undefined) return [];
	const { agent, protocol } = answer.welcome;
	const detail = `The agent is ${agent} and speaks version ${protocol} of the protocol; this is ${own}.`;
	const name = "versions";
	return [agent === own ? { name, status: "ok", detail } : { name, status: "warn", detail, fix: UPDATE }];
}

/** @param {Places} places @param {AgentAnswer} answer @returns {Check} */
function database(places, answer) {
	const name = "database";
	const health = answer.state === "answering" ? answer.info?.health : undefined;
	if (health === undefined) return { name, status: "info", detail: databaseFromOutside(places.store) };
	const { bytes, state, checkedAt } = health.database;
	const checked = checkedAt === null ? "" : `, checked ${time(checkedAt)}`;
	const backup = health.lastBackupAt === null ? "no backup yet" : `last backup ${time(health.lastBackupAt)}`;
	const detail = `${state} (${size(bytes)}${checked}; ${backup}).`;
	if (state === "ok") return { name, status: "ok", detail };
	return { name, status: state === "restored" ? "warn" : "fail", detail };
}

/** @param {string} store */
function databaseFromOutside(store) {
	const file = statSync(store, { throwIfNoEntry: false });
	if (file === undefined) return "There is none yet.";
	const log = statSync(`${store}-wal`, { throwIfNoEntry: false });
	const written = Math.max(file.mtimeMs, log?.mtimeMs ?? 0);
	const bytes = file.size + (log?.size ?? 0);
	return `Last written ${time(written)} (${size(bytes)}). Only a running agent can say more; it was not opened.`;
}

/** What the agent itself reports as wrong. @param {AgentAnswer} answer @returns {Check[]} */
function problems(answer) {
	const reported = answer.state === "answering" ? (answer.info?.health.problems ?? []) : [];
	return reported.map(({ code, message, fix }) => ({
		name: `health:${code}`,
		status: "warn",
		detail: message,
		...(fix === undefined ? {} : { fix }),
	}));
}

/**
 * How the last agent ended. It writes `last-run.json` when it starts, and once more when it ends by itself: a
 * file without an end, and no agent, mean that it was killed or that the power was cut.
 *
 * @param {Places} places
 * @param {AgentAnswer} answer
 * @returns {Check[]}
 */
function lastEnd(places, answer) {
	if (answer.state !== "missing" && answer.state !== "refused") return [];
	const run = readJson(places.lastRun);
	if (run === undefined) return [];
	const name = "last-end";
	const when = typeof run.endedAt === "number" ? ` at ${time(run.endedAt)}` : "";
	const reason = typeof run.reason === "string" ? `: ${run.reason}` : ".";
	if (run.end === "clean") {
		return [{ name, status: "ok", detail: `The last agent ended by itself${when}${reason}` }];
	}
	if (run.end === "crashed") {
		const fix = `See the end of ${places.log}.`;
		return [{ name, status: "warn", detail: `The last agent ended with an error${when}${reason}`, fix }];
	}
	const detail = "The last agent was killed, or the power was cut. The next one resumes what was running.";
	return [{ name, status: "info", detail }];
}

/** @param {Places} places */
function ownerNote(places) {
	const pid = readJson(places.owner)?.pid;
	return typeof pid === "number" ? ` The last one known is process ${pid}.` : "";
}

/** @param {string} file @returns {Record<string, unknown> | undefined} undefined when it isn't there or isn't whole */
function readJson(file) {
	try {
		const value = JSON.parse(readFileSync(file, "utf8"));
		return typeof value === "object" && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}
