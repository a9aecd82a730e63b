import { connect, type Socket } from "node:net";
import { CliError } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { asFailure } from "../failure.ts";
import type { Place } from "../place.ts";
import { openLink } from "../reach/link.ts";

/**
 * When there is nothing more to pass on to the agent, its answers to what was passed on are still on their way: the
 * connection is ended once it has been quiet for this long.
 */
const QUIET_MS = 500;

/**
 * `connect`: the bytes of the protocol between standard input and output and the agent's socket, unread. When there is
 * no agent to be had, who is at the other end hears why in the protocol's own words.
 */
export async function run({ place, output }: Call<object, object>): Promise<ExitCode> {
	try {
		const socket = await openSocket(place);
		return await relay(socket, output.stdout);
	} catch (error) {
		const { code, message, exit } = asFailure(error);
		output.stdout.write(`${JSON.stringify({ type: "error", code, message })}\n`);
		output.note(message);
		return exit;
	}
}

/** Looks with a client first, which starts an agent if need be and knows what proves that there is none. */
async function openSocket(place: Place): Promise<Socket> {
	const link = await openLink(place, { start: true });
	link.close();
	const socket = connect({ path: place.data.socket });
	return new Promise((resolve, reject) => {
		socket.once("connect", () => resolve(socket));
		socket.once("error", (error) => reject(broken(error)));
	});
}

async function relay(socket: Socket, stdout: NodeJS.WriteStream): Promise<ExitCode> {
	const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
	const { stdin } = process;
	let quiet: NodeJS.Timeout | undefined;
	let isInputOver = false;
	const endWhenQuiet = () => {
		clearTimeout(quiet);
		quiet = setTimeout(() => socket.end(), QUIET_MS);
	};
	stdin.on("end", () => {
		isInputOver = true;
		endWhenQuiet();
	});
	socket.on("data", () => {
		if (isInputOver) endWhenQuiet();
	});
	socket.on("error", (error) => reject(broken(error)));
	socket.on("end", () => {
		if (isInputOver) resolve(0);
		else reject(new CliError("connection_lost", 3, "The agent closed the connection."));
	});
	stdin.pipe(socket, { end: false });
	socket.pipe(stdout, { end: false });
	return promise.finally(() => {
		clearTimeout(quiet);
		stdin.unpipe(socket);
		stdin.destroy();
		socket.destroy();
	});
}

function broken(error: Error): CliError {
	return new CliError("connection_lost", 3, `The connection to the agent broke (${error.message}).`);
}
