import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, ended, listOf, session } from "../testing/sessions.ts";
import { announcementsOf, messageOf } from "./announcements.ts";
import { createAnnouncer } from "./announcer.ts";
import { firstSentence } from "./first-sentence.ts";

const nobody = () => false;

test("a run that ended is news once; a stopped one never", () => {
	const view = listOf(
		session("1", { ...ended("r1", "answered"), preview: "Done. And more." }),
		session("2", ended("r2", "stopped")),
	);
	const first = announcementsOf(view, {}, nobody);
	assert.deepEqual(first.news, [{ kind: "finished", session: "1", title: "Session 1", body: "Done." }]);
	assert.deepEqual(announcementsOf(view, first.known, nobody).news, []);
	const next = listOf(
		session("1", { ...ended("r3", "failed"), state: { kind: "failed", reason: "no key" } }),
	);
	assert.deepEqual(announcementsOf(next, first.known, nobody).news, [
		{ kind: "failed", session: "1", title: "Session 1", body: "no key" },
	]);
});

test("a question is news once, also when its run ended just before", () => {
	const view = listOf(session("1", { ...asks("q1"), ...ended("r1", "answered") }));
	const first = announcementsOf(view, {}, nobody);
	assert.deepEqual(first.news, [
		{ kind: "needs-you", session: "1", title: "Session 1", body: "Run terraform apply?" },
	]);
	assert.deepEqual(announcementsOf(view, first.known, nobody).news, []);
	const later = listOf(session("1", { ...asks("q2"), ...ended("r1", "answered") }));
	assert.equal(announcementsOf(later, first.known, nobody).news.length, 1);
});

test("a limit is told once for all sessions of its account, and again when there is another", () => {
	const six = new Date(2026, 2, 3, 18).getTime();
	const limited = (id: string, model: string, until: number) =>
		session(id, { model, state: { kind: "waiting", for: "limit", until }, updatedAt: six - 3_600_000 });
	const [a, b] = [limited("1", "claude-code/sonnet", six), limited("2", "claude-code/opus", six)];
	const first = announcementsOf(listOf(a, b), {}, nobody);
	assert.deepEqual(first.news, [
		{
			kind: "limit",
			session: "1",
			title: "Waiting until 18:00",
			body: "The limit of the account is used up. 2 sessions go on by themselves then.",
		},
	]);
	const third = announcementsOf(listOf(a, b, limited("3", "claude-code/sonnet", six)), first.known, nobody);
	assert.deepEqual(third.news, []);
	const other = announcementsOf(listOf(a, b, limited("4", "anthropic/sonnet", six)), third.known, nobody);
	assert.equal(other.news.length, 1, "another account");
	const next = announcementsOf(listOf(a, limited("2", "claude-code/opus", six + 1)), other.known, nobody);
	assert.deepEqual(
		next.news.map(({ session: id }) => id),
		["2"],
	);
});

test("the session in front is noted and not told", () => {
	const view = listOf(session("1", ended("r1", "answered")), session("2", ended("r2", "answered")));
	const { news, known } = announcementsOf(view, {}, (id) => id === "1");
	assert.deepEqual(
		news.map(({ session: id }) => id),
		["2"],
	);
	assert.deepEqual(announcementsOf(view, known, nobody).news, []);
});

test("several at once become one notification, which opens the window", () => {
	const news = announcementsOf(
		listOf(
			session("1", ended("a", "answered", 1)),
			session("2", ended("b", "answered", 2)),
			session("3", ended("c", "failed", 3)),
			session("4", asks("q", "?", 4)),
		),
		{},
		nobody,
	).news;
	assert.deepEqual(messageOf(news), {
		title: "2 sessions finished, 1 failed, 1 needs you",
		body: "Session 1 · Session 2 · Session 3 · Session 4",
	});
	assert.match(
		messageOf(news.slice(2), true).title,
		/^While Outlive was closed: 1 session failed, 1 needs you$/,
	);
});

test("only the newest two thousand sessions are remembered", () => {
	const many = Array.from({ length: 2_100 }, (_, place) =>
		session(String(place), ended(`r${place}`, "stopped", place)),
	);
	const { known } = announcementsOf(listOf(...many), {}, nobody);
	assert.equal(Object.keys(known).length, 2_000);
	assert.equal(known["0"], undefined);
	assert.equal(known["2099"]?.run, "r2099");
});

test("the first sentence of an answer is told without its marks", () => {
	assert.equal(firstSentence("# **Two** writers share `one` key. The second…"), "Two writers share one key.");
	assert.equal(
		firstSentence("\n\n- See [the docs](https://x.example/a.b): fine\nmore"),
		"See the docs: fine",
	);
	assert.equal(firstSentence("```sh\nls\n```\nListed 3.5 files! Yes"), "ls");
	assert.equal(firstSentence("渐进。然后"), "渐进。");
	assert.equal(firstSentence(""), "");
});

/** An announcer whose time the test lets pass. */
function announcer(known?: Parameters<typeof createAnnouncer>[0]["known"]) {
	const shown: string[] = [];
	const remembered: string[] = [];
	const timers: (() => void)[] = [];
	const made = createAnnouncer({
		known,
		remember: (next) => remembered.push(Object.keys(next).sort().join(" ")),
		isInFront: nobody,
		show: ({ title }) => shown.push(title),
		after: (_ms, run) => {
			timers.push(run);
			return () => {};
		},
	});
	const pass = () => {
		for (const run of timers.splice(0)) run();
	};
	return { ...made, shown, remembered, pass };
}

test("an app that is started for the first time takes what it finds as told", () => {
	const { onView, shown, remembered, pass } = announcer();
	onView(listOf(session("1", { ...ended("r1", "answered"), unread: true })));
	pass();
	assert.deepEqual(shown, []);
	assert.deepEqual(remembered, ["1"]);
});

test("what comes within a moment is told as one, and remembered before it is told", () => {
	const { onView, shown, remembered, pass } = announcer({});
	onView(listOf());
	onView(listOf(session("1", ended("r1", "answered"))));
	assert.deepEqual(remembered, ["1"]);
	onView(listOf(session("1", ended("r1", "answered")), session("2", ended("r2", "answered"))));
	assert.deepEqual(shown, []);
	pass();
	assert.deepEqual(shown, ["2 sessions finished"]);
	onView(listOf(session("1", ended("r1", "answered")), session("2", ended("r2", "answered"))));
	pass();
	assert.equal(shown.length, 1);
	assert.equal(remembered.length, 2);
});

test("what happened while the app was shut is summed up at once, less what was seen elsewhere", () => {
	const { onView, shown } = announcer({ "1": { run: "old" } });
	onView(
		listOf(
			session("1", { ...ended("r1", "answered"), unread: true }),
			session("2", { ...ended("r2", "answered"), unread: false }),
			session("3", { ...ended("r3", "failed"), unread: true }),
		),
	);
	assert.deepEqual(shown, ["While Outlive was closed: 1 session finished, 1 failed"]);
});
