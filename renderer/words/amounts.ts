const grouped = new Intl.NumberFormat("en-US");

/** `76,210` */
export function wholeNumber(value: number): string {
	return grouped.format(Math.round(value));
}

/** `1 line`, `84 lines`; the plural with an s, or the one given. */
export function count(value: number, singular: string, plural = `${singular}s`): string {
	return `${wholeNumber(value)} ${value === 1 ? singular : plural}`;
}

/** `812 B`, `6.1 MB`: powers of 1,000, as files are sized on the systems the product runs on. */
export function byteWords(bytes: number): string {
	if (bytes < 1000) return `${bytes} B`;
	const units = ["kB", "MB", "GB", "TB"];
	let value = bytes / 1000;
	let unit = 0;
	while (value >= 999.5 && unit < units.length - 1) {
		value /= 1000;
		unit++;
	}
	return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** `$0.42`, `$0.004`, `$0`; `≈ $0.42 at API prices` for what a plan paid. */
export function moneyWords(dollars: number, estimated: boolean): string {
	const amount = dollars === 0 ? "$0" : `$${dollars < 0.01 ? dollars.toPrecision(1) : dollars.toFixed(2)}`;
	return estimated && dollars > 0 ? `≈ ${amount} at API prices` : amount;
}

/** What a model costs per million tokens: `$3 / $15` in and out; undefined without a price. */
export function priceWords(
	price: { readonly input: number; readonly output: number } | null,
): { readonly short: string; readonly long: string } | undefined {
	if (price === null) return undefined;
	const amount = (dollars: number) => `$${Math.round(dollars * 1000) / 1000}`;
	const [input, output] = [amount(price.input), amount(price.output)];
	return { short: `${input} / ${output}`, long: `${input} in and ${output} out, per million tokens` };
}

/** `200k`, `1M` tokens. */
export function tokenSize(tokens: number): string {
	if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
	return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : `${tokens}`;
}

/** A share in whole per cent; 100% only when it is full, 0% only when it is empty. */
export function percentWords(part: number, whole: number): string {
	if (whole <= 0 || part <= 0) return "0%";
	const share = (part / whole) * 100;
	return `${Math.round(Math.min(Math.max(share, 1), part >= whole ? 100 : 99))}%`;
}
