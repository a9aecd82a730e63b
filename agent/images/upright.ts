/** Pixels row by row, four bytes each: red, green, blue and how opaque it is. */
export type Pixels = {
	readonly data: Uint8Array<ArrayBuffer>;
	readonly width: number;
	readonly height: number;
};

/** Whether turning by this orientation makes a picture's width its height. */
export function swapsSides(orientation: number): boolean {
	return orientation >= 5;
}

/** A picture turned and mirrored as its orientation (Exif, 1 to 8) asks for, as people see it. */
export function upright(picture: Pixels, orientation: number): Pixels {
	if (orientation === 1) return picture;
	const { width, height } = picture;
	const [toWidth, toHeight] = swapsSides(orientation) ? [height, width] : [width, height];
	const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset, width * height);
	const to = new Uint32Array(width * height);
	const right = width - 1;
	const bottom = height - 1;
	for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++, at++) to[place(x, y)] = from[at]!;
	return { data: new Uint8Array(to.buffer), width: toWidth, height: toHeight };

	function place(x: number, y: number): number {
		switch (orientation) {
			case 2:
				return y * toWidth + (right - x);
			case 3:
				return (bottom - y) * toWidth + (right - x);
			case 4:
				return (bottom - y) * toWidth + x;
			case 5:
				return x * toWidth + y;
			case 6:
				return x * toWidth + (bottom - y);
			case 7:
				return (right - x) * toWidth + (bottom - y);
			default:
				return (right - x) * toWidth + y;
		}
	}
}
