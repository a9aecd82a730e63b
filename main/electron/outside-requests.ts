import { app } from "electron";

/** What the app is asked for from outside: links that the system hands over, and what it is started with again. */
export type OutsideRequests = {
	/** From now on each is followed as it comes; those that came before are handed over first, in one. */
	follow(how: (args: readonly string[]) => void): void;
};

/** Listens from now on: macOS hands a link over before there is a window to show it. */
export function listenForRequests(): OutsideRequests {
	const early: string[] = [];
	let hand = (args: readonly string[]): void => void early.push(...args);
	app.on("open-url", (event, link) => {
		event.preventDefault();
		hand([link]);
	});
	app.on("second-instance", (_event, args) => hand(args));
	return {
		follow(how) {
			hand = how;
			if (early.length > 0) how(early);
		},
	};
}
