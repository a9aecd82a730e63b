export type Rectangle = {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
};

export type Size = { readonly width: number; readonly height: number };

/** A window's title bar must be on some screen by at least this much, or nobody could move it. */
const VISIBLE = { width: 120, height: 40 };

/**
 * Where a window goes that was last at `saved`: there, if enough of its upper edge is on a screen; else in the middle of
 * the first screen, as large as it was.
 *
 * @param areas the screens' work areas, the primary one first
 * @param size for a window that was never anywhere
 */
export function placeWindow(
	saved: Rectangle | undefined,
	areas: readonly Rectangle[],
	size: Size,
): Rectangle {
	if (saved !== undefined && areas.some((area) => isReachable(saved, area))) return saved;
	const [area] = areas;
	const wanted = saved ?? size;
	if (area === undefined) return { x: 0, y: 0, width: wanted.width, height: wanted.height };
	const width = Math.min(wanted.width, area.width);
	const height = Math.min(wanted.height, area.height);
	return { ...centred({ width, height }, area), width, height };
}

/** Where the popover goes: under the icon, or at the upper right edge where the icon's place isn't known. */
export function placePopover(
	icon: Rectangle,
	size: Size,
	area: Rectangle,
): { readonly x: number; readonly y: number } {
	const isKnown = icon.width > 0 && icon.height > 0;
	const wanted = isKnown ? icon.x + icon.width / 2 - size.width / 2 : area.x + area.width - size.width;
	// Under an icon in a bar at the top, over one in a bar at the bottom.
	const isAbove = !isKnown || icon.y < area.y + area.height / 2;
	return {
		x: Math.round(clamp(wanted, area.x, area.x + area.width - size.width)),
		y: Math.round(isAbove ? area.y : area.y + area.height - size.height),
	};
}

function isReachable(window: Rectangle, area: Rectangle): boolean {
	const width = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x);
	const isTopInside =
		window.y >= area.y - VISIBLE.height / 2 && window.y <= area.y + area.height - VISIBLE.height;
	return width >= Math.min(VISIBLE.width, window.width) && isTopInside;
}

function centred(size: Size, area: Rectangle): { x: number; y: number } {
	return {
		x: Math.round(area.x + (area.width - size.width) / 2),
		y: Math.round(area.y + (area.height - size.height) / 2),
	};
}

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most));
