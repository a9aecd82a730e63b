import type { Environment } from "../../platform/environment.ts";
import { findExecutable } from "../../platform/find-executable.ts";
import { runWithInput } from "./run-with-input.ts";
import { SERVICE, type Vault } from "./vault.ts";

/** Secret Service (GNOME Keyring, KWallet) through `secret-tool`, where it is installed and a session bus runs. */
export function secretService(environment: () => Promise<Environment>): Vault {
	const run = async (args: readonly string[], input: string) => {
		const env = await environment();
		if (env.DBUS_SESSION_BUS_ADDRESS === undefined) return undefined;
		const tool = await findExecutable("secret-tool", env);
		return tool === undefined ? undefined : runWithInput(tool, args, input, env);
	};
	return {
		place: "secret-service",
		async read(provider) {
			const printed = await run(["lookup", "service", SERVICE, "provider", provider], "");
			return printed?.replace(/\n$/, "") || undefined;
		},
		async write(provider, key) {
			const label = `--label=${SERVICE}: ${provider}`;
			return (await run(["store", label, "service", SERVICE, "provider", provider], key)) !== undefined;
		},
	};
}
