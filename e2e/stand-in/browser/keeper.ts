/**
 * Runs a browser for as long as the process that started it lives: when that process is gone, however it went, the
 * browser and its profile go too. Arguments: the profile's folder, the browser, its arguments. What the browser says on
 * its error output goes on to this process's.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

const [profile, browser, ...args] = process.argv.slice(2) as [string, string, ...string[]];
const child = spawn(browser, args, {
	detached: true,
	stdio: ["ignore", "ignore", "inherit"],
	// It leaves temporary files behind when it is killed; these go with the profile.
	env: { ...process.env, TMPDIR: profile },
});

function end(): void {
	try {
		process.kill(-child.pid!, "SIGKILL");
	} catch {
		// It has ended by itself.
	}
}

child.on("error", (error) => {
	process.stderr.write(`stand-in: ${browser} could not be started (${error.message})\n`);
	leave();
});
child.on("exit", leave);
// The other end of this pipe is the app's; the system closes it when the app dies.
process.stdin.on("end", end).on("error", end).resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);

function leave(): void {
	end();
	rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
	process.exit(0);
}
