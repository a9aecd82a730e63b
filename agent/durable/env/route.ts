import { createSocket } from "node:dgram";

/**
 * Addresses kept for documentation (RFC 5737, RFC 3849), which no machine has. Connecting a datagram socket sends
 * nothing: it only makes the system choose a route.
 */
const ELSEWHERE = [
	["udp4", "192.0.2.1"],
	["udp6", "2001:db8::1"],
] as const;

/** The addresses that packets to other machines leave from now, as one text; undefined when there is no route. */
export async function currentRoute(): Promise<string | undefined> {
	const sources = await Promise.all(ELSEWHERE.map(([kind, target]) => sourceAddress(kind, target)));
	const found = sources.filter((each) => each !== undefined);
	return found.length === 0 ? undefined : found.join(" ");
}

function sourceAddress(kind: "udp4" | "udp6", target: string): Promise<string | undefined> {
	return new Promise((resolve) => {
		const socket = createSocket(kind);
		// Told of a failure in either way.
		const end = (error?: Error | null) => {
			resolve(error ? undefined : socket.address().address);
			socket.removeAllListeners().on("error", () => {});
			socket.close();
		};
		socket.once("error", end);
		socket.connect(9, target, end as () => void);
	});
}
