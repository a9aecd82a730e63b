import { type ChildProcess, spawn } from "node:child_process";

/** The program that keeps this machine from sleeping for as long as it runs; undefined where none is known. */
export function awakeCommand(
	platform: NodeJS.Platform,
	agent: number,
): readonly [string, ...string[]] | undefined {
	switch (platform) {
		case "darwin":
			return ["caffeinate", "-i", "-w", String(agent)];
		case "linux":
			// `cat` ends with its input, which this process holds, and so never outlives it.
			return [
				"systemd-inhibit",
				...["--what=idle:sleep", "--who=Outlive", "--why=Sessions are running", "--mode=block"],
				"cat",
			];
		default:
			return undefined;
	}
}

export type KeepAwakeOptions = {
	/** Whether the person wants it, as the settings have it now. */
	readonly isWanted: () => boolean;
	/** Whether a session is at work now. */
	readonly isAtWork: () => boolean;
	readonly command: readonly [string, ...string[]] | undefined;
	/** Told once why it doesn't work, as a sentence. */
	readonly report: (message: string) => void;
};

/** Keeps the machine awake while sessions run, when the person wants that. The agent holds it, whoever is connected. */
export function createKeepAwake({ isWanted, isAtWork, command, report }: KeepAwakeOptions) {
	let holder: ChildProcess | undefined;
	let isReported = false;

	function complain(why: string): void {
		if (!isReported) report(`The setting keepAwake has no effect: ${why}.`);
		isReported = true;
	}

	function hold(): void {
		if (command === undefined) {
			complain("no program that keeps this system awake is known");
			return;
		}
		const [program, ...args] = command;
		const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
		holder = child;
		child.stdin?.on("error", () => {
			// It ended by itself; `exit` tells.
		});
		child.on("error", (error) => complain(`${program} could not be started (${error.message})`));
		child.on("exit", (code) => {
			if (holder === child) complain(`${program} ended by itself (code ${code})`);
		});
	}

	function release(): void {
		const child = holder;
		holder = undefined;
		child?.stdin?.end();
		child?.kill();
	}

	return {
		/** To be called when a session or the settings changed. */
		update(): void {
			const wanted = isWanted() && isAtWork();
			if (wanted && holder === undefined) hold();
			if (!wanted && holder !== undefined) release();
		},
		close: release,
	};
}
