import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { type Client, connectClient, type SessionView, type WireEntry } from "../../agent/protocol/index.ts";
import { connectSocket } from "../../agent/protocol/node-socket-transport.ts";
import type { AgentPlace } from "../../agent/testing/agent-process.ts";
import { until } from "../test/until.mjs";
import type { Sent } from "./history.ts";
import type { AgentHost } from "./host.ts";
import type { World } from "./round.ts";

/** Files that none of these messages' commands has written yet. */
export function unwritten(place: AgentPlace, sent: readonly Sent[]): string[] {
	return sent.flatMap(({ late }) =>
		late !== undefined && !existsSync(join(place.project, late)) ? [late] : [],
	);
}

/** Everything that must hold once a round has come to rest. Ends the agent. Returns a sentence for each that doesn't. */
export async function checkRound(world: World, host: AgentHost): Promise<string[]> {
	const problems: string[] = [...world.history.problems];
	const views = await freshViews(world);
	for (const [number, view] of views.entries()) {
		problems.push(...checkMessages(world, number, view), ...checkCalls(`Session ${number}`, view));
	}
	const subagents = await checkSubagents(world, views, problems);
	problems.push(...checkMarkers(world, views, subagents), ...checkStopped(world));
	problems.push(...(await checkSameView(world, views)));
	problems.push(...(await checkForks(world, views)));
	await world.clients[0]!.client.request("agent.shutdown", { when: "now" }).catch(() => undefined);
	await host.finish();
	problems.push(...(await checkProcesses(world.place)), ...checkDatabase(world.place));
	return problems;
}

const freshViews = (world: World) =>
	asFreshClient(world, (client) => Promise.all(world.sessions.map((session) => viewOf(client, session))));

async function asFreshClient<T>(world: World, look: (client: Client) => Promise<T>): Promise<T> {
	const client = await connectClient(await connectSocket(world.place.socket), { client: "chaos fresh" });
	try {
		return await look(client);
	} finally {
		client.close();
	}
}

async function viewOf(client: Client, session: string): Promise<SessionView> {
	const watch = await client.watch("session.watch", { session }, { onValue: () => {} });
	watch.stop();
	return watch.value;
}

/** Every acknowledged message is in the transcript once, in the order its client was told; or was taken back by a stop. */
function checkMessages(world: World, number: number, view: SessionView): string[] {
	const problems: string[] = [];
	const texts = view.entries.flatMap((entry) => (entry.role === "user" ? [entry.text] : []));
	const stopped = world.history.stopAsked.has(number);
	const states = new Map(view.submissions.map((submission) => [submission.submission, submission.status]));
	const waiting = new Set(view.inbox.map(({ submission }) => submission));
	for (const sent of world.history.sent.filter(({ session }) => session === number)) {
		const count = texts.filter((text) => text === sent.text).length;
		const said = `"${sent.text}" (submission ${sent.submission})`;
		if (count > 1) problems.push(`${said} is in the transcript ${count} times`);
		if (count === 1 || sent.submission === undefined) continue;
		const withdrawn = states.get(sent.submission) === "unanswered" && stopped;
		if (!withdrawn && !waiting.has(sent.submission))
			problems.push(`${said} was acknowledged and is lost: ${states.get(sent.submission)}`);
	}
	for (let client = 0; client < world.clients.length; client++) {
		const order = world.history.sent
			.filter((sent) => sent.session === number && sent.client === client && sent.whenBusy === "followUp")
			.map(({ text }) => texts.indexOf(text))
			.filter((place) => place !== -1);
		if (
			!isDeepStrictEqual(
				order,
				order.toSorted((left, right) => left - right),
			)
		)
			problems.push(`Session ${number}: the messages of client ${client} are out of order`);
	}
	return problems;
}

/** Each call of an answer that counts has exactly one result; a cut-off answer's calls never began. */
function checkCalls(name: string, view: SessionView): string[] {
	const counting = new Set<string>();
	for (const entry of view.entries)
		if (entry.role === "assistant" && entry.stopReason !== "error" && entry.stopReason !== "aborted")
			for (const { id } of entry.toolCalls ?? []) counting.add(id);
	const results = view.entries.flatMap((entry) => (entry.role === "toolResult" ? [entry.toolCallId] : []));
	return [...new Set([...counting, ...results])].flatMap((id) => {
		const count = results.filter((result) => result === id).length;
		const expected = counting.has(id) ? 1 : 0;
		return count === expected ? [] : [`${name}: call ${id} has ${count} results instead of ${expected}`];
	});
}

/** Each fork was made once, shows what its session said up to its entry, and has answered its own message. */
async function checkForks(world: World, views: readonly SessionView[]): Promise<string[]> {
	const { forks } = world.history;
	return asFreshClient(world, async (client) => {
		const { sessions } = await client.request("sessions.list", {});
		const problems =
			sessions.length === world.sessions.length + forks.length
				? []
				: [`There are ${sessions.length} sessions, of which ${forks.length} should be forks`];
		for (const fork of forks) {
			const name = `The fork ${fork.session} of session ${fork.of} at ${fork.at}`;
			const view = await viewOf(client, fork.session);
			const isInherited = ({ id }: WireEntry) => Number(id) <= Number(fork.at);
			if (
				!isDeepStrictEqual(
					said(view.entries.filter(isInherited)),
					said(views[fork.of]!.entries.filter(isInherited)),
				)
			)
				problems.push(`${name} shows other entries than its session`);
			const own = view.entries.filter((entry) => !isInherited(entry));
			if (own.filter(({ text, role }) => role === "user" && text === fork.text).length !== 1)
				problems.push(`${name} doesn't have its message once`);
			const status = view.submissions.find(({ submission }) => submission === fork.submission)?.status;
			if (status !== "done") problems.push(`${name} has not answered its message: ${status}`);
		}
		return problems;
	});
}

/** What of an entry doesn't depend on the session that shows it. */
function said(entries: readonly WireEntry[]) {
	return entries.map(({ id, kind, role, text }) => ({ id, kind, role, text }));
}

/** The conversations of the subagents that these entries' calls have started. */
export function subagentsIn(entries: readonly WireEntry[]): { readonly id: string }[] {
	return entries.flatMap((entry) =>
		entry.role === "toolResult" && entry.conversation !== undefined ? [{ id: entry.conversation }] : [],
	);
}

/**
 * Each subagent was told its task once, and nothing of it is doubled or left behind. Returns the views of those there
 * are, by their task.
 */
async function checkSubagents(
	world: World,
	views: readonly SessionView[],
	problems: string[],
): Promise<Map<string, SessionView>> {
	const byTask = new Map<string, SessionView>();
	await asFreshClient(world, async (client) => {
		for (const { session, prompt } of world.history.sent) {
			const result = prompt === undefined ? undefined : resultOf(views[session]!, "prompt", prompt);
			if (prompt === undefined || result?.role !== "toolResult" || result.conversation === undefined)
				continue;
			const name = `The subagent ${result.conversation} of session ${session}`;
			const view = await viewOf(client, result.conversation);
			byTask.set(prompt, view);
			problems.push(...checkCalls(name, view));
			const told = view.entries.filter(({ role, text }) => role === "user" && text === prompt).length;
			if (told > 1 || (told === 0 && !result.isError))
				problems.push(`${name} was told its task ${told} times`);
			if (view.session.state.kind === "running") problems.push(`${name} is still at work`);
		}
	});
	const children = views.flatMap(({ entries }) => subagentsIn(entries));
	if (new Set(children.map(({ id }) => id)).size !== children.length)
		problems.push(`Calls share a subagent: ${children.map(({ id }) => id).join(", ")}`);
	return byTask;
}

/** Each command ran at most once, and once when its result says that it ended well. */
function checkMarkers(
	world: World,
	views: readonly SessionView[],
	subagents: ReadonlyMap<string, SessionView>,
): string[] {
	return world.history.sent.flatMap(({ marker, session, prompt }) => {
		if (marker === undefined) return [];
		const runs = linesIn(join(world.place.project, marker));
		if (runs > 1) return [`${marker}: the command ran ${runs} times`];
		const view = prompt === undefined ? views[session]! : subagents.get(prompt);
		const result = view && resultOf(view, "command", `>> ${marker}`);
		if (result?.role === "toolResult" && !result.isError && runs !== 1)
			return [`${marker}: the result says that the command ended well, and it ran ${runs} times`];
		if (result?.role === "toolResult" && result.text.includes("was not run") && runs > 0)
			return [`${marker}: the model was told that the command was not run, and it ran`];
		return [];
	});
}

/** The result of the call that has this text in an argument. */
function resultOf(view: SessionView, argument: string, text: string): WireEntry | undefined {
	for (const entry of view.entries) {
		if (entry.role !== "assistant") continue;
		const call = entry.toolCalls?.find((candidate) =>
			String(candidate.arguments[argument] ?? "").includes(text),
		);
		if (call === undefined) continue;
		return view.entries.find((other) => other.role === "toolResult" && other.toolCallId === call.id);
	}
	return undefined;
}

function linesIn(path: string): number {
	return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

/** Nothing that was stopped went on. */
function checkStopped(world: World): string[] {
	return world.history.stopped.flatMap(({ session, neverWritten }) =>
		neverWritten
			.filter((file) => existsSync(join(world.place.project, file)))
			.map((file) => `Session ${session} was stopped, and ${file} was written after that`),
	);
}

/** A client that was there all along shows what a fresh one does. */
async function checkSameView(world: World, views: readonly SessionView[]): Promise<string[]> {
	const problems: string[] = [];
	for (const [number, view] of views.entries()) {
		const watch = world.watches[number]!;
		try {
			await until(
				"the old client shows what the fresh one does",
				() => isDeepStrictEqual(watch.value, view),
				5_000,
			);
		} catch {
			problems.push(
				`Session ${number}: an old client shows ${JSON.stringify(watch.value)}\nand a fresh one ${JSON.stringify(view)}`,
			);
		}
	}
	return problems;
}

/** No process of this place is left. */
async function checkProcesses(place: AgentPlace): Promise<string[]> {
	try {
		await until("no process is left", () => processesOf(place).length === 0, 5_000);
		return [];
	} catch {
		return [`Processes are left: ${processesOf(place).join(", ")}`];
	}
}

function processesOf(place: AgentPlace): string[] {
	return readdirSync("/proc").flatMap((name) => {
		if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
		try {
			const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
			const environment = readFileSync(`/proc/${name}/environ`, "utf8");
			return `${command}${environment}`.includes(place.home)
				? [`${name} ${command.replaceAll("\0", " ")}`]
				: [];
		} catch {
			// It ended meanwhile.
			return [];
		}
	});
}

function checkDatabase(place: AgentPlace): string[] {
	const database = new Database(join(place.dataDirectory, "outlive.sqlite"), { readonly: true });
	try {
		const result = database.pragma("integrity_check", { simple: true });
		return result === "ok" ? [] : [`The store is damaged: ${result}`];
	} finally {
		database.close();
	}
}
