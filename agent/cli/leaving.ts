/** Resolves at Ctrl-C, which until `end()` no longer ends the process by itself. */
export function untilInterrupted(): { readonly interrupted: Promise<"interrupted">; end(): void } {
	const { promise, resolve } = Promise.withResolvers<"interrupted">();
	const onSignal = () => resolve("interrupted");
	process.on("SIGINT", onSignal);
	return { interrupted: promise, end: () => process.off("SIGINT", onSignal) };
}
