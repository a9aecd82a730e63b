import { protocolError } from "./errors.ts";

/** The size of the system's socket address, with the byte that ends it. */
const LINUX_BYTES = 108;
const OTHER_BYTES = 104;

/** The longest path a Unix socket may have, in bytes. */
export function longestSocketPath(platform: string = process.platform): number {
	return (platform === "linux" ? LINUX_BYTES : OTHER_BYTES) - 1;
}

/**
 * Throws `socket_path_too_long` for a path that this system can't bind or connect to. Some systems cut a long path off
 * silently, and a program then meets another program's socket.
 */
export function checkSocketPath(path: string, platform: string = process.platform): void {
	const bytes = new TextEncoder().encode(path).length;
	const most = longestSocketPath(platform);
	if (bytes <= most) return;
	throw protocolError(
		"socket_path_too_long",
		`The path of the agent's socket has ${bytes} bytes and this system allows ${most}: ${path}. ` +
			"Set OUTLIVE_DATA_DIR to a folder with a shorter path.",
		{ data: { path, bytes, most } },
	);
}
