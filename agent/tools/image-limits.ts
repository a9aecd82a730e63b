/** What models take of one image: 5 MB once it is base64, and 8,000 pixels a side. */
export const maxImageBytes = 3_750_000;
export const maxImagePixels = 8000;
