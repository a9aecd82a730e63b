import type { Environment } from "../../platform/environment.ts";
import { runWithInput } from "./run-with-input.ts";
import { SERVICE, type Vault } from "./vault.ts";

const SECURITY = "/usr/bin/security";

/**
 * The login keychain of macOS, through `security`, which macOS then lets read the key without asking.
 *
 * @param executable another program than the system's, for tests
 */
export function keychain(environment: () => Promise<Environment>, executable: string = SECURITY): Vault {
	return {
		place: "keychain",
		async read(provider) {
			const args = ["find-generic-password", "-s", SERVICE, "-a", provider, "-w"];
			const printed = await runWithInput(executable, args, "", await environment());
			return printed?.replace(/\n$/, "") || undefined;
		},
		async write(provider, key) {
			// Read as a command from its input (-i), with the key in hexadecimal digits, which need no quoting.
			const hex = Buffer.from(key).toString("hex");
			const command = `add-generic-password -U -s ${SERVICE} -a ${JSON.stringify(provider)} -X ${hex}\n`;
			return (await runWithInput(executable, ["-i"], command, await environment())) !== undefined;
		},
	};
}
