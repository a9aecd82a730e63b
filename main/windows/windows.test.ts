import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { autostartFile, setStartsAtLogin, startsAtLogin } from "./desktop-entry.ts";
import { isOwnPage, mayOpenOutside, PAGE_HEADERS, pageFile } from "./page-files.ts";
import { placePopover, placeWindow } from "./placement.ts";
import { requestsOf, sessionOfLink } from "./requests.ts";
import { shownSession } from "./shown-session.ts";

const SCREEN = { x: 0, y: 25, width: 1440, height: 875 };
const SIZE = { width: 1280, height: 800 };

test("a window comes back where it was, unless nobody could reach it there", () => {
	const inside = { x: 100, y: 100, width: 900, height: 600 };
	assert.deepEqual(placeWindow(inside, [SCREEN], SIZE), inside);
	const partly = { x: 1200, y: 100, width: 900, height: 600 };
	assert.deepEqual(placeWindow(partly, [SCREEN], SIZE), partly);
	const gone = { x: 3000, y: 100, width: 900, height: 600 };
	assert.deepEqual(placeWindow(gone, [SCREEN], SIZE), { x: 270, y: 163, width: 900, height: 600 });
	const second = { x: 1440, y: 0, width: 1920, height: 1080 };
	assert.deepEqual(placeWindow({ ...gone, x: 2000 }, [SCREEN, second], SIZE).x, 2000);
	const above = { x: 100, y: -500, width: 900, height: 600 };
	assert.equal(placeWindow(above, [SCREEN], SIZE).y, 163);
});

test("a first window is in the middle, and never larger than the screen", () => {
	assert.deepEqual(placeWindow(undefined, [SCREEN], SIZE), { x: 80, y: 63, width: 1280, height: 800 });
	const small = { x: 0, y: 0, width: 800, height: 500 };
	assert.deepEqual(placeWindow(undefined, [small], SIZE), { x: 0, y: 0, width: 800, height: 500 });
});

test("the popover is under its icon and on the screen; without a place, at the upper right", () => {
	const size = { width: 340, height: 400 };
	assert.deepEqual(placePopover({ x: 1000, y: 0, width: 24, height: 24 }, size, SCREEN), { x: 842, y: 25 });
	assert.deepEqual(placePopover({ x: 1420, y: 0, width: 20, height: 24 }, size, SCREEN), { x: 1100, y: 25 });
	assert.deepEqual(placePopover({ x: 0, y: 0, width: 0, height: 0 }, size, SCREEN), { x: 1100, y: 25 });
	assert.equal(placePopover({ x: 1000, y: 880, width: 24, height: 24 }, size, SCREEN).y, 500);
});

test("only files of pages are served, each with the rules of a page", () => {
	const file = (url: string) => pageFile(url, "/app")?.path;
	assert.equal(file("app://outlive/window/index.html"), "/app/window/index.html");
	assert.equal(file("app://outlive/window/assets/a.js?x#y"), "/app/window/assets/a.js");
	for (const url of [
		"app://outlive/main.js",
		"app://outlive/window/../main.js",
		"app://outlive/window/%2e%2e/main.js",
		"app://outlive/window/..%2fmain.js",
		"app://outlive/window/..%5cmain.js",
		"app://outlive/window/a%00.js",
		"app://outlive/window/%ff.js",
		"app://outlive/window/secret.sqlite",
		"app://other/window/index.html",
		"app://outlive.evil/window/index.html",
		"https://outlive/window/index.html",
	])
		assert.equal(file(url), undefined, url);
	assert.match(PAGE_HEADERS["content-security-policy"] ?? "", /^default-src 'none'; script-src 'self';/);
	assert.doesNotMatch(PAGE_HEADERS["content-security-policy"] ?? "", /unsafe|\*|http/);
});

test("a page may show the app's own addresses, and the browser is asked for https alone", () => {
	assert.ok(isOwnPage("app://outlive/window/index.html#/session/1"));
	for (const url of ["app://outlive.evil/", "https://outlive/", "about:blank", ""])
		assert.ok(!isOwnPage(url), url);
	assert.ok(mayOpenOutside("https://example.com/a"));
	for (const url of [
		"http://a.example",
		"file:///etc/passwd",
		"javascript:1",
		"https:",
		"smb://a/b",
		"outlive://x",
	])
		assert.ok(!mayOpenOutside(url), url);
});

test("a link names a session, and arguments hold links and folders as addresses", () => {
	assert.equal(sessionOfLink("outlive://session/17"), "17");
	assert.equal(sessionOfLink("outlive://session/a%20b/"), "a b");
	for (const link of [
		"outlive://session/",
		"outlive://other/1",
		"https://session/1",
		"outlive://session/%ff",
		"17",
	])
		assert.equal(sessionOfLink(link), undefined, link);
	assert.deepEqual(
		requestsOf(["/opt/outlive-app", "/code/out/app", "--flag", "file:///home/a%20b", "outlive://session/3"]),
		{
			session: "3",
			folders: ["/home/a b"],
		},
	);
});

test("the session that a page shows is in its address", () => {
	assert.equal(shownSession("app://outlive/window/index.html#/session/17"), "17");
	assert.equal(shownSession("app://outlive/window/index.html#/new/%2Ftmp"), undefined);
	assert.equal(shownSession("app://outlive/window/index.html"), undefined);
});

test("on Linux starting at login is a desktop entry, quoted as its specification wants", (t) => {
	const home = mkdtempSync(join(tmpdir(), "login-"));
	t.after(() => rmSync(home, { recursive: true, force: true }));
	const file = autostartFile({}, home);
	assert.equal(file, join(home, ".config/autostart/outlive.desktop"));
	assert.equal(autostartFile({ XDG_CONFIG_HOME: "/c" }, home), "/c/autostart/outlive.desktop");
	assert.ok(!startsAtLogin(file));
	setStartsAtLogin(file, true, ["/opt/My $App/100%", "--at-login"]);
	assert.ok(startsAtLogin(file));
	assert.match(readFileSync(file, "utf8"), /^Exec="\/opt\/My \\\$App\/100%%" "--at-login"$/m);
	setStartsAtLogin(file, false, []);
	assert.ok(!startsAtLogin(file));
});
