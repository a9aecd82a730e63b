/** Polls until it holds; fails, naming what was awaited, after 20 s or as long as is said. */
export async function until(
	what: string,
	holds: () => boolean | Promise<boolean>,
	limitMs = 20_000,
): Promise<void> {
	const deadline = performance.now() + limitMs;
	while (!(await holds())) {
		if (performance.now() > deadline) throw new Error(`Waited ${limitMs / 1000} s in vain: ${what}.`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
