import assert from "node:assert/strict";
import { test } from "node:test";
import { dataPaths } from "./data-directory.ts";
import { serviceOf } from "./service.ts";

const COMMAND = { binary: "/opt/an app/node", program: '/opt/100%/"a"/main.ts', isElectron: true };
const ENV = { HOME: "/home/ada" };

test("on Linux the agent is a user unit that comes back after a crash and takes nothing along when it stops", () => {
	const service = serviceOf(COMMAND, dataPaths("/home/ada/$data"), ENV, "linux", 1000);
	assert.equal(service.kind, "systemd user unit");
	assert.equal(service.file, "/home/ada/.config/systemd/user/outlive.service");
	const lines = service.text.split("\n");
	assert.ok(lines.includes('ExecStart="/opt/an app/node" "/opt/100%%/\\"a\\"/main.ts" "--replace=idle"'));
	assert.ok(lines.includes('Environment="OUTLIVE_DATA_DIR=/home/ada/$$data"'));
	assert.ok(lines.includes('Environment="ELECTRON_RUN_AS_NODE=1"'));
	for (const line of [
		"Restart=on-failure",
		"KillMode=process",
		"OOMPolicy=continue",
		"WantedBy=default.target",
	])
		assert.ok(lines.includes(line), line);
	const elsewhere = { ...ENV, XDG_CONFIG_HOME: "/etc/ada" };
	assert.equal(
		serviceOf(COMMAND, dataPaths("/d"), elsewhere, "linux", 1000).file,
		"/etc/ada/systemd/user/outlive.service",
	);
});

test("on macOS it is a launch agent of this user, with every text as XML takes it", () => {
	const command = { binary: "/A & B/<node>", program: "/p/agent.js", isElectron: false };
	const service = serviceOf(command, dataPaths("/d"), ENV, "darwin", 501);
	assert.equal(service.file, "/home/ada/Library/LaunchAgents/outlive.agent.plist");
	assert.match(
		service.text,
		/<string>\/A &amp; B\/&lt;node&gt;<\/string>\n\t\t<string>\/p\/agent.js<\/string>/,
	);
	assert.match(service.text, /<key>SuccessfulExit<\/key>\n\t\t<false\/>/);
	assert.match(service.text, /<key>AbandonProcessGroup<\/key>\n\t<true\/>/);
	assert.ok(!service.text.includes("ELECTRON_RUN_AS_NODE"));
	assert.deepEqual(service.install, [["launchctl", "bootstrap", "gui/501", service.file]]);
	assert.deepEqual(service.remove, [["launchctl", "bootout", "gui/501/outlive.agent"]]);
});
