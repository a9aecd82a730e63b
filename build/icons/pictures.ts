/** One PNG that is made of a symbol of icon.svg. */
export type Picture = {
	/** Where it goes in `made/`. */
	readonly file: string;
	readonly symbol: "app" | "idle" | "running" | "needs-you";
	/** Width and height in pixels. */
	readonly size: number;
	/** The colours of the ring and of the dot, where the symbol leaves them open. */
	readonly ring?: string;
	readonly dot?: string;
};

/** On Linux a tray icon is drawn as it is, on a light or a dark panel; these can be seen on both. */
const COLOURS = {
	idle: { ring: "#8c887f", dot: "#8c887f" },
	running: { ring: "#8c887f", dot: "#3f9a83" },
	"needs-you": { ring: "#8c887f", dot: "#c9851f" },
} as const;

const BLACK = { ring: "#000000", dot: "#000000" };

const STATES = ["idle", "running", "needs-you"] as const;
/** What Linux desktops look for. */
const APP_SIZES = [16, 32, 48, 64, 128, 256, 512, 1024];

/** Every picture there is. */
export const PICTURES: readonly Picture[] = [
	...STATES.flatMap((symbol): Picture[] => [
		// macOS draws a template in the bar's colour and looks at its alpha alone.
		{ file: `tray/${symbol}Template.png`, symbol, size: 16, ...BLACK },
		{ file: `tray/${symbol}Template@2x.png`, symbol, size: 32, ...BLACK },
		{ file: `tray/${symbol}.png`, symbol, size: 32, ...COLOURS[symbol] },
	]),
	{ file: "app.png", symbol: "app", size: 512 },
	...APP_SIZES.map((size): Picture => ({ file: `app/${size}x${size}.png`, symbol: "app", size })),
];
