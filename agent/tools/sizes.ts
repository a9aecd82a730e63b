/** A size as people read it: `812 bytes`, `3.4 KB`, `12 MB`. */
export function formatSize(bytes: number): string {
	if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
	const [amount, unit] =
		bytes < 1024 ** 2
			? [bytes / 1024, "KB"]
			: bytes < 1024 ** 3
				? [bytes / 1024 ** 2, "MB"]
				: [bytes / 1024 ** 3, "GB"];
	return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}

/** `1 line`, `2,000 lines`. */
export function count(amount: number, what: string): string {
	return `${grouped(amount)} ${what}${amount === 1 ? "" : "s"}`;
}

/**
 * A whole number with its thousands set apart, `30,000`. `toLocaleString` does the same, but takes several ms at its
 * first call, and tools are described while the agent starts.
 */
export function grouped(amount: number): string {
	return String(amount).replace(/\B(?=(\d{3})+$)/g, ",");
}
