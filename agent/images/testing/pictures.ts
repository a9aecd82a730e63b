import { PhotonImage } from "@silvia-odwyer/photon-node";

export type Colour = readonly [red: number, green: number, blue: number, opacity?: number];

/** A picture drawn pixel by pixel, packed as PNG or JPEG. */
export function picture(
	width: number,
	height: number,
	colourAt: (x: number, y: number) => Colour,
	form: "png" | "jpeg" = "png",
): Uint8Array {
	const data = new Uint8Array(width * height * 4);
	for (let y = 0, at = 0; y < height; y++)
		for (let x = 0; x < width; x++, at += 4) {
			const [red, green, blue, opacity = 255] = colourAt(x, y);
			data.set([red, green, blue, opacity], at);
		}
	const image = new PhotonImage(data, width, height);
	const bytes = form === "png" ? image.get_bytes() : image.get_bytes_jpeg(95);
	image.free();
	return bytes;
}

/** One colour, and so a small file whatever its size. */
export function plain(width: number, height: number, form: "png" | "jpeg" = "png"): Uint8Array {
	return picture(width, height, () => [10, 120, 200], form);
}

/** Every pixel another colour, the same ones each time: a file that can't be packed well. */
export function noise(width: number, height: number): Uint8Array {
	let state = 1;
	const next = () => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return state >>> 24;
	};
	return picture(width, height, () => [next(), next(), next()]);
}

/** The colour of a packed picture at a place. */
export function colourIn(bytes: Uint8Array, x: number, y: number): [number, number, number, number] {
	const image = PhotonImage.new_from_byteslice(bytes);
	const at = (y * image.get_width() + x) * 4;
	const [red, green, blue, opacity] = image.get_raw_pixels().subarray(at, at + 4);
	image.free();
	return [red!, green!, blue!, opacity!];
}

/** The Exif of a picture that says nothing but how it is to be turned, as TIFF 6.0 has it. */
export function exifWith(orientation: number, order: "II" | "MM" = "II"): Buffer {
	const little = order === "II";
	const exif = Buffer.alloc(26);
	const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
	exif.write(order, "latin1");
	view.setUint16(2, 42, little);
	view.setUint32(4, 8, little);
	view.setUint16(8, 1, little);
	view.setUint16(10, 0x0112, little);
	view.setUint16(12, 3, little);
	view.setUint32(14, 1, little);
	view.setUint16(18, orientation, little);
	return exif;
}

/** A JPEG as a camera writes one that was held another way. */
export function turnedJpeg(jpeg: Uint8Array, orientation: number, order: "II" | "MM" = "II"): Buffer {
	const exif = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exifWith(orientation, order)]);
	const length = Buffer.alloc(2);
	length.writeUInt16BE(exif.length + 2);
	return Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xff, 0xe1), length, exif, jpeg.subarray(2)]);
}
