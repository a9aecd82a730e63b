/**
 * Gives the newest of many values, once a frame. While the page is hidden there are no frames, so a hidden window costs
 * nothing and shows the newest value when it is seen again. The first value is given at once.
 */
export function eachFrame<V>(take: (value: V) => void): { give(value: V): void; stop(): void } {
	let next: { readonly value: V } | undefined;
	let frame: number | undefined;
	let isFirst = true;

	function deliver(): void {
		frame = undefined;
		const given = next;
		next = undefined;
		if (given !== undefined) take(given.value);
	}

	return {
		give(value) {
			next = { value };
			if (isFirst) {
				isFirst = false;
				deliver();
			} else frame ??= requestAnimationFrame(deliver);
		},
		stop() {
			if (frame !== undefined) cancelAnimationFrame(frame);
			next = undefined;
		},
	};
}
