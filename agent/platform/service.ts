import { join } from "node:path";
import type { DataPaths } from "./data-directory.ts";
import { homeOf } from "./environment.ts";
import type { AgentCommand } from "./start-agent.ts";

/** A command and its arguments. */
export type ServiceStep = readonly [program: string, ...args: string[]];

/** The agent as a service of the system: what is written where, and the steps that put it in force. */
export type Service = {
	readonly kind: "launchd agent" | "systemd user unit";
	readonly file: string;
	readonly text: string;
	readonly install: readonly ServiceStep[];
	/** Ends the agent that the service runs; what runs in it goes on and is taken up by the next one. */
	readonly remove: readonly ServiceStep[];
	/** Ends with 0 when the service runs. */
	readonly look: ServiceStep;
};

const UNIT = "outlive.service";
const LABEL = "outlive.agent";
/** What an agent ends with that was refused the place of the one that runs; starting it again would not help. */
const REFUSED = 5;

/**
 * @param uid of the person, for launchd's domain
 */
export function serviceOf(
	command: AgentCommand,
	data: DataPaths,
	env: NodeJS.ProcessEnv,
	platform: NodeJS.Platform,
	uid: number,
): Service {
	const home = homeOf(env);
	// It takes the place of an agent that someone else has started, once that is idle.
	const run = [command.binary, command.program, "--replace=idle"];
	const variables = {
		OUTLIVE_DATA_DIR: data.directory,
		...(command.isElectron ? { ELECTRON_RUN_AS_NODE: "1" } : {}),
	};
	if (platform === "darwin") {
		const file = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
		return {
			kind: "launchd agent",
			file,
			text: launchdText(run, variables, data.out),
			install: [["launchctl", "bootstrap", `gui/${uid}`, file]],
			remove: [["launchctl", "bootout", `gui/${uid}/${LABEL}`]],
			look: ["launchctl", "print", `gui/${uid}/${LABEL}`],
		};
	}
	return {
		kind: "systemd user unit",
		file: join(env.XDG_CONFIG_HOME || join(home, ".config"), "systemd", "user", UNIT),
		text: systemdText(run, variables, data.out),
		install: [
			["systemctl", "--user", "daemon-reload"],
			["systemctl", "--user", "enable", UNIT],
			["systemctl", "--user", "restart", UNIT],
		],
		remove: [["systemctl", "--user", "disable", "--now", UNIT]],
		look: ["systemctl", "--user", "is-active", "--quiet", UNIT],
	};
}

type Variables = Readonly<Record<string, string>>;

/** Stopping it leaves what the agent has started alone, and so does the system's running out of memory. */
function systemdText(run: readonly string[], variables: Variables, out: string): string {
	return `[Unit]
Description=Outlive's agent
StartLimitIntervalSec=0

[Service]
ExecStart=${run.map(unitQuoted).join(" ")}
${Object.entries(variables)
	.map(([name, value]) => `Environment=${unitQuoted(`${name}=${value}`)}`)
	.join("\n")}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=${REFUSED}
KillMode=process
OOMPolicy=continue
StandardOutput=append:${out.replaceAll("%", "%%")}
StandardError=inherit

[Install]
WantedBy=default.target
`;
}

/** As systemd reads an argument: in double quotes, with what is special in them escaped. */
function unitQuoted(text: string): string {
	const escaped = text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$");
	return `"${escaped}"`;
}

function launchdText(run: readonly string[], variables: Variables, out: string): string {
	const strings = (values: readonly string[]) =>
		values.map((value) => `\t\t<string>${xml(value)}</string>`).join("\n");
	const pairs = Object.entries(variables)
		.map(([name, value]) => `\t\t<key>${xml(name)}</key>\n\t\t<string>${xml(value)}</string>`)
		.join("\n");
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>${LABEL}</string>
	<key>ProgramArguments</key>
	<array>
${strings(run)}
	</array>
	<key>EnvironmentVariables</key>
	<dict>
${pairs}
	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>10</integer>
	<key>AbandonProcessGroup</key>
	<true/>
	<key>StandardOutPath</key>
	<string>${xml(out)}</string>
	<key>StandardErrorPath</key>
	<string>${xml(out)}</string>
</dict>
</plist>
`;
}

function xml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
