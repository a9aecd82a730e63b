const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** A size for people: `4711 bytes`, `98 MB`. */
export function bytes(count: number): string {
	let value = count;
	let unit = 0;
	while (value >= 10_000 && unit < UNITS.length - 1) {
		value /= 1000;
		unit++;
	}
	return `${Math.round(value)} ${UNITS[unit]}`;
}
