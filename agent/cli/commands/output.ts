import { once } from "node:events";
import { MAX_OUTPUT_BYTES } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { bytes } from "../output/bytes.ts";
import { type Link, withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";

type Positionals = { readonly SESSION: string; readonly CALL: string };

/** What of an output there is, beside its bytes. */
type End = { total: number; complete: boolean; gap?: { from: number; to: number } };

/** `output`: the whole output of a call, byte for byte. */
export async function run({ positionals, place, output }: Call<Positionals, object>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const pieces: Buffer[] = [];
		const end = await readOutput(link, session, positionals.CALL, async (piece) => {
			if (output.json) pieces.push(piece);
			// A reader that is slow, such as a pager, is waited for; the output may be long.
			else if (!output.stdout.write(piece)) await once(output.stdout, "drain");
		});
		if (output.json)
			output.result(
				{
					session,
					call: positionals.CALL,
					text: Buffer.concat(pieces).toString("utf8"),
					bytes: end.total,
					complete: end.complete,
					...(end.gap === undefined ? {} : { gap: end.gap }),
				},
				() => "",
			);
		if (end.gap !== undefined)
			output.note(
				`The output was too long to be kept whole: ${bytes(end.gap.to - end.gap.from)} are missing after its first ` +
					`${bytes(end.gap.from)}.`,
			);
		if (!end.complete) output.note("The call is still running; this is its output so far.");
		return 0;
	});
}

async function readOutput(
	link: Link,
	session: string,
	call: string,
	onPiece: (piece: Buffer) => Promise<void>,
): Promise<End> {
	let gap: End["gap"];
	for (let offset = 0; ; ) {
		const piece = await link.ask("session.output", { session, call, offset, limit: MAX_OUTPUT_BYTES });
		const { total, complete } = piece;
		gap ??= piece.gap;
		const part = Buffer.from(piece.base64, "base64");
		await onPiece(part);
		offset = piece.offset + part.length;
		if (part.length === 0 || offset >= total)
			return { total, complete, ...(gap === undefined ? {} : { gap }) };
	}
}
