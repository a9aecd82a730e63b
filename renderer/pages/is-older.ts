/** Whether one version is older than another, by their numbers: `0.9.2` is older than `0.10.0`. */
export function isOlder(version: string, than: string): boolean {
	const [one, other] = [numbersOf(version), numbersOf(than)];
	for (let part = 0; part < 3; part++) {
		const difference = (one[part] ?? 0) - (other[part] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}

function numbersOf(version: string): number[] {
	return version.split(/[.+-]/, 3).map((part) => Number.parseInt(part, 10) || 0);
}
