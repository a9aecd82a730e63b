import { extname, join, normalize, sep } from "node:path";

/** The app's own scheme. Its pages are secure contexts with an origin, and no page of the web can be one of them. */
export const PAGE_SCHEME = "app";
export const PAGE_ORIGIN = "app://outlive";
export const WINDOW_URL = `${PAGE_ORIGIN}/window/index.html`;
export const POPOVER_URL = `${PAGE_ORIGIN}/popover/popover.html`;

/** The folders of pages in the app; nothing else in it is served. */
const FOLDERS = ["window", "popover"];

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
	".woff2": "font/woff2",
	".json": "application/json; charset=utf-8",
};

/** Everything a page loads is a file of the app. Images of messages are data and blobs that the page makes itself. */
const CONTENT_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"worker-src 'self'",
	"style-src 'self'",
	"font-src 'self'",
	"img-src 'self' data: blob:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	"content-security-policy": CONTENT_POLICY,
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cross-origin-opener-policy": "same-origin",
};

export type PageFile = { readonly path: string; readonly type: string };

/**
 * The file behind an address of the app.
 *
 * @param url as the page asks for it
 * @param root the folder that holds the folders of pages
 * @returns undefined for anything but a file of a known type in a folder of pages
 */
export function pageFile(url: string, root: string): PageFile | undefined {
	if (!url.startsWith(`${PAGE_ORIGIN}/`)) return undefined;
	const path = decode(url.slice(PAGE_ORIGIN.length).replace(/[?#].*$/s, ""));
	if (path === undefined || path.includes("\0") || path.includes("\\")) return undefined;
	const relative = normalize(path).replace(/^\/+/, "");
	const [folder] = relative.split(sep);
	const type = TYPES[extname(relative)];
	if (folder === undefined || !FOLDERS.includes(folder) || type === undefined) return undefined;
	return { path: join(root, relative), type };
}

/** Whether an address is one of the app's own pages, which a window may show. */
export function isOwnPage(url: string): boolean {
	return url === PAGE_ORIGIN || url.startsWith(`${PAGE_ORIGIN}/`);
}

/** Whether the browser may be asked to open an address. */
export function mayOpenOutside(url: string): boolean {
	return URL.parse(url)?.protocol === "https:";
}

function decode(path: string): string | undefined {
	try {
		return decodeURIComponent(path);
	} catch {
		// Not an address that this app's pages make.
		return undefined;
	}
}
