import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connectTo, spawnAgent } from "../../agent/testing/agent-process.ts";
import { agentOfVersion } from "../../agent/testing/other-version.ts";
import { isAnswered, untilView } from "../../agent/testing/session-probe.ts";
import { until } from "../../build/test/until.mjs";
import { agentPid, endAgent, isAlive, launch, missingApp, placeFor } from "./testing/app.ts";
import { connect, createSession, send } from "./testing/client.ts";
import { labelsOf, untilDesktop } from "./testing/desktop.ts";

const skip = missingApp();

test("the agent is a process group of its own, and quitting and starting the app again finds the same one", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	const first = await launch(t, { place });
	const client = await connect(t, place);
	const pid = await agentPid(place);
	const group = execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" });
	assert.equal(Number(group), pid);
	assert.notEqual(pid, first.electron.process().pid);

	await first.quit();
	assert.equal((await client.request("agent.info", {})).pid, pid);
	const second = await launch(t, { place });
	await (await second.page()).getByText("Start in a folder").first().waitFor();
	assert.equal((await client.request("agent.info", {})).pid, pid);
	assert.equal(await agentPid(place), pid);
});

test("killing the app in the middle of an answer loses nothing", { skip }, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place });
	const client = await connect(t, place);
	const session = await createSession(client, place);
	await send(client, session, "slow 20: on and on");
	await untilView(client, session, "the answer has begun", ({ live }) => live.partial !== undefined);
	await app.kill();
	const view = await untilView(client, session, "the answer is whole", ({ entries }) =>
		entries.some(({ role, text }) => role === "assistant" && text.includes("20:")),
	);
	assert.equal(view.entries.filter(({ role }) => role === "user").length, 1);
	assert.equal(view.entries.filter(({ role }) => role === "assistant").length, 1);

	const again = await launch(t, { place, args: [`outlive://session/${session}`] });
	const page = await again.page();
	await page
		.getByText(/1:on 2:and/)
		.first()
		.waitFor();
});

test("an agent that was killed is started again, and its sessions go on", { skip }, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place });
	const client = await connect(t, place);
	const session = await createSession(client, place, "slow 30: word");
	await untilView(client, session, "the answer has begun", ({ live }) => live.partial !== undefined);
	const before = await agentPid(place);
	await endAgent(place);
	const after = await agentPid(place);
	assert.notEqual(after, before);
	const next = await connect(t, place);
	await untilView(next, session, "the answer is whole", ({ entries }) =>
		entries.some(({ role, text }) => role === "assistant" && text.includes("30:")),
	);
	await untilDesktop(app.electron, "the list has the session", ({ menu }) =>
		labelsOf(menu).some((label) => label.includes("slow 30")),
	);
});

test("an agent that is frozen while the app starts is left alone, and taken up when it goes on", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	const first = await launch(t, { place });
	await connect(t, place);
	const pid = await agentPid(place);
	await first.quit();
	process.kill(pid, "SIGSTOP");
	try {
		const app = await launch(t, { place });
		await untilDesktop(app.electron, "the list says that it is busy or frozen", ({ menu }) =>
			labelsOf(menu).some((label) => label.includes("busy or frozen")),
		);
		assert.ok(isAlive(pid));
		process.kill(pid, "SIGCONT");
		await untilDesktop(app.electron, "it answers", ({ menu }) =>
			labelsOf(menu).every((label) => !label.includes("busy or frozen")),
		);
		assert.equal(await agentPid(place), pid);
	} finally {
		process.kill(pid, "SIGCONT");
	}
});

test("replacing the agent ends no run: the next one takes it up", { skip }, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place });
	const client = await connect(t, place);
	const page = await app.page();
	await page.getByText("Start in a folder").first().waitFor();
	const session = await createSession(client, place, "slow 30: word");
	await untilView(client, session, "the answer has begun", ({ live }) => live.partial !== undefined);
	const before = await agentPid(place);
	await page.evaluate(`window.outlive.replaceAgent("now")`);
	await until("the old agent is gone", () => !isAlive(before));
	assert.notEqual(await agentPid(place), before);
	const next = await connect(t, place);
	await untilView(next, session, "the answer is whole", ({ entries }) =>
		entries.some(({ role, text }) => role === "assistant" && text.includes("30:")),
	);
});

test("a newer app says that the agent is older, and replaces it when asked: its command goes on", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	const older = spawnAgent(place, { entry: agentOfVersion("0.0.9", place.home) });
	t.after(() => older.kill());
	const before = await connectTo(place, older);
	const session = await createSession(
		before,
		place,
		"bash: echo started; until [ -e go ]; do sleep 0.05; done; echo ended",
	);
	await untilView(before, session, "the command runs", ({ live }) =>
		live.tools.some(({ output }) => output.includes("started")),
	);
	before.close();
	const app = await launch(t, { place, args: [`outlive://session/${session}`] });
	const page = await app.page();
	const banner = page.getByText("The agent that runs is older (0.0.9)");
	await banner.waitFor();
	await page.getByRole("button", { name: "Update now" }).click();
	assert.equal(await older.exited, 0);
	const next = await connect(t, place);
	assert.notEqual(next.welcome.pid, older.pid);
	await banner.waitFor({ state: "detached" });
	writeFileSync(join(place.project, "go"), "");
	const view = await untilView(next, session, "the command's own end", isAnswered);
	assert.equal(view.entries.find(({ role }) => role === "toolResult")?.text, "started\nended");
});

test("an app that is quit and started three times during a long command finds one agent, and the command running", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	const first = await launch(t, { place });
	const client = await connect(t, place);
	const pid = await agentPid(place);
	const session = await createSession(client, place, "bash: echo $$; exec sleep 600");
	const view = await untilView(client, session, "the command runs", ({ live }) =>
		live.tools.some(({ output }) => /^\d+\s*$/.test(output)),
	);
	const command = Number(view.live.tools[0]!.output);
	await first.quit();
	for (let time = 0; time < 3; time++) {
		const app = await launch(t, { place });
		await untilDesktop(app.electron, "the list has the session", ({ menu }) =>
			labelsOf(menu).some((label) => label.includes("echo $$")),
		);
		assert.equal(await agentPid(place), pid);
		await app.quit();
		assert.ok(isAlive(command));
	}
	assert.equal((await client.request("agent.info", {})).pid, pid);
	await client.request("session.stop", { session });
	assert.ok(!isAlive(command));
});

test("an agent that can't start is not hammered, and what it says is in the list", { skip }, async (t) => {
	const place = placeFor(t);
	const program = join(place.home, "agent.mjs");
	const starts = join(place.home, "starts");
	writeFileSync(
		program,
		`import { appendFileSync } from "node:fs";
		appendFileSync(${JSON.stringify(starts)}, "start\\n");
		throw new RangeError("the moon is wrong");`,
	);
	const app = await launch(t, { place, env: { OUTLIVE_AGENT_PROGRAM: program } });
	await untilDesktop(app.electron, "the list says why", ({ menu, toolTip }) => {
		const says = labelsOf(menu).some((label) => label.includes("the moon is wrong"));
		return says && toolTip.includes("doesn’t answer");
	});
	await until("it is tried again", () => lines(starts) === 2);
	// Pauses double from a second, so there is no third yet.
	assert.equal(lines(starts), 2);
});

const lines = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
