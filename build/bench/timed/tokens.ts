/** What a token says: when it was sent, in ms since the epoch, on a clock that all processes of the machine share. */
export function timedToken(sentAt: number): string {
	return `${sentAt.toString(36)} `;
}

/** The times in an answer's tokens that are later than `after`, newest first. A token cut in two is left out. */
export function* sentAfter(answer: string, after: number): Generator<number> {
	for (let end = answer.lastIndexOf(" "); end > 0; ) {
		const begin = answer.lastIndexOf(" ", end - 1);
		const sentAt = Number.parseInt(answer.slice(begin + 1, end), 36);
		if (!(sentAt > after)) return;
		yield sentAt;
		end = begin;
	}
}
