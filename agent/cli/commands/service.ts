import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { prepareDataDirectory } from "../../platform/data-directory.ts";
import { type Service, type ServiceStep, serviceOf } from "../../platform/service.ts";
import { CliError, wrongUsage } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import type { Place } from "../place.ts";
import { agentProgram } from "../reach/agent-program.ts";

/** `service`: the agent as a service of the system, so that it comes back after a crash and with the next login. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly ACTION: string }, object>): Promise<ExitCode> {
	const service = serviceIn(place);
	const { kind, file } = service;
	switch (positionals.ACTION) {
		case "install":
			install(service, place);
			output.result(stateOf(service, place), () =>
				[
					`The agent is installed as a ${kind}: ${file}`,
					...(kind === "systemd user unit"
						? ["To have it run before you log in: loginctl enable-linger"]
						: []),
				].join("\n"),
			);
			return 0;
		case "remove": {
			const wasThere = existsSync(file);
			if (wasThere) remove(service, place);
			output.result(stateOf(service, place), () =>
				wasThere
					? `The ${kind} is gone; the next client starts the agent again.`
					: `There is no ${kind}: nothing was removed.`,
			);
			return 0;
		}
		case "status": {
			const state = stateOf(service, place);
			output.result(state, () => {
				if (!state.installed) return `The agent is not a ${kind}. To make it one: outlive service install`;
				return `The agent is a ${kind} (${file}), which ${state.running ? "runs" : "does not run now"}.`;
			});
			return 0;
		}
		default:
			throw wrongUsage(`ACTION is install, remove or status, not "${printableLine(positionals.ACTION)}".`);
	}
}

function serviceIn({ data, env }: Place): Service {
	const command = {
		binary: process.execPath,
		program: agentProgram(env),
		isElectron: process.versions.electron !== undefined,
	};
	return serviceOf(command, data, env, process.platform, userInfo().uid);
}

/** Whole or not at all: a service that the system refuses leaves no file behind. */
function install(service: Service, place: Place): void {
	prepareDataDirectory(place.data.directory);
	if (existsSync(service.file)) for (const step of service.remove) attempt(step, place);
	mkdirSync(dirname(service.file), { recursive: true });
	writeFileSync(service.file, service.text);
	for (const step of service.install) {
		const problem = attempt(step, place);
		if (problem === undefined) continue;
		rmSync(service.file, { force: true });
		throw refused(step, problem);
	}
}

function remove(service: Service, place: Place): void {
	for (const step of service.remove) {
		const problem = attempt(step, place);
		// Without its file the service is gone with the next login in any case.
		if (problem !== undefined) process.stderr.write(`${refused(step, problem).message}\n`);
	}
	rmSync(service.file, { force: true });
}

function stateOf(service: Service, place: Place) {
	const installed = existsSync(service.file);
	return {
		kind: service.kind,
		file: service.file,
		installed,
		running: installed && attempt(service.look, place) === undefined,
	};
}

/** Why a step did not succeed; undefined when it did. */
function attempt([program, ...args]: ServiceStep, { env }: Place): string | undefined {
	const { status, error, stderr } = spawnSync(program, args, {
		env,
		encoding: "utf8",
		stdio: ["ignore", "ignore", "pipe"],
	});
	if (error !== undefined) return error.message;
	return status === 0 ? undefined : stderr.trim().split("\n")[0] || `it ended with ${status}`;
}

function refused(step: ServiceStep, problem: string): CliError {
	return new CliError(
		"service_failed",
		3,
		`The system refused “${step.join(" ")}”: ${printableLine(problem)}. ` +
			"Without a service the next client starts the agent: outlive start",
	);
}
