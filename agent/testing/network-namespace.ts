import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";

/** A network of its own on this machine, with one address and a way to everywhere, that can be cut. */
export type NetworkNamespace = {
	/** Put in front of a command, runs it in this network. */
	readonly within: readonly string[];
	/** The first line that the program prints which holds the namespace. */
	readonly firstLine: string;
	cut(): void;
	mend(): void;
};

export const ADDRESS = "10.77.0.1";

/** For `skip`: why there can't be one here, or false. */
export function missingNetworkNamespace(): string | false {
	const tried = spawnSync("unshare", ["-n", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
	return tried.status === 0
		? false
		: "a network of its own can't be made here (it needs Linux, root, unshare and ip)";
}

const MEND = `ip addr add ${ADDRESS}/32 dev lo && ip route add default dev lo`;
// Without its address the machine refuses at once; with the link down it would wait for the end of every connection.
const CUT = `ip route del default dev lo && ip addr del ${ADDRESS}/32 dev lo`;

/** Makes one, held by a program that runs in it until the test ends. */
export async function networkNamespace(
	context: TestContext,
	program: readonly string[],
): Promise<NetworkNamespace> {
	const setUp = `ip link set lo up && ${MEND} && exec "$@"`;
	const holder = spawn("unshare", ["-n", "sh", "-c", setUp, "sh", ...program], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	context.after(() => end(holder));
	const [first] = (await once(holder.stdout.setEncoding("utf8"), "data")) as [string];
	const within = ["nsenter", "-t", String(holder.pid), "-n"];
	const run = (script: string) => execFileSync(within[0]!, [...within.slice(1), "sh", "-c", script]);
	return {
		within,
		firstLine: first.trim(),
		cut() {
			run(CUT);
		},
		mend() {
			run(MEND);
		},
	};
}

async function end(holder: ChildProcess): Promise<void> {
	const ended = once(holder, "exit");
	holder.kill("SIGKILL");
	await ended;
}
