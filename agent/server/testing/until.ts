/** Polls until it holds; fails, naming what was awaited, after 20 s. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 20_000;
	while (!(await holds())) {
		if (performance.now() > deadline) throw new Error(`Waited 20 s in vain: ${what}.`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
