const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
	let value = index;
	for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
	return value;
});

/** The CRC-32 (as in zip and gzip) of `bytes`, going on from that of what came before. */
export function crc32(bytes: Uint8Array, before = 0): number {
	let value = ~before;
	for (let i = 0; i < bytes.length; i++) value = TABLE[(value ^ bytes[i]!) & 0xff]! ^ (value >>> 8);
	return ~value >>> 0;
}
