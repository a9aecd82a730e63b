import { text as readAll } from "node:stream/consumers";
import { wrongUsage } from "../cli-error.ts";

/** A message as it was typed; `-` stands for all of standard input, without the line ends at its end. */
export async function textArgument(given: string, name: string): Promise<string> {
	const message = given === "-" ? (await readAll(process.stdin)).replace(/\n+$/, "") : given;
	if (message.trim() === "")
		throw wrongUsage(
			given === "-" ? "Standard input holds no text to send." : `${name} is empty; there is nothing to send.`,
		);
	return message;
}
