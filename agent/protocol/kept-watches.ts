import type { Client, Watch, WatchListener } from "./client.ts";
import type { ProtocolError } from "./errors.ts";
import type { Params, Watched, WatchMethod } from "./methods.ts";

/** A watch that lives on over connections. */
export type KeptWatch<V> = {
	/** The newest value, kept while there is no connection; undefined before the first. Immutable. */
	readonly value: V | undefined;
	stop(): void;
};

type Entry = { readonly start: (client: Client) => void; readonly end: (error: ProtocolError) => void };

/** Watches that are made again on each new connection, where they begin with a fresh snapshot. */
export type KeptWatches = {
	watch<M extends WatchMethod>(
		method: M,
		params: Params<M>,
		listener: WatchListener<Watched<M>>,
	): KeptWatch<Watched<M>>;
	connected(client: Client): void;
	endAll(error: ProtocolError): void;
};

export function createKeptWatches(): KeptWatches {
	const entries = new Set<Entry>();
	let current: Client | undefined;

	return {
		watch<M extends WatchMethod>(method: M, params: Params<M>, listener: WatchListener<Watched<M>>) {
			type V = Watched<M>;
			let value: V | undefined;
			let watch: Watch<V> | undefined;
			const isKept = () => entries.has(entry);

			function start(client: Client): void {
				watch = undefined;
				client
					.watch(method, params, {
						onValue(next, change) {
							if (!isKept()) return;
							value = next;
							listener.onValue(next, change);
						},
						onEnd: (error) => over(error, client),
					})
					.then(
						(started) => {
							if (isKept()) watch = started;
							else started.stop();
						},
						(error: ProtocolError) => over(error, client),
					);
			}

			function over(error: ProtocolError, client: Client): void {
				watch = undefined;
				// The next connection takes it up again.
				if (error === client.closeReason || error.code === "shutting_down") return;
				if (entries.delete(entry)) listener.onEnd?.(error);
			}

			const entry: Entry = {
				start,
				end: (error) => listener.onEnd?.(error),
			};
			entries.add(entry);
			if (current !== undefined && current.closeReason === undefined) start(current);
			return {
				get value() {
					return value;
				},
				stop() {
					entries.delete(entry);
					watch?.stop();
				},
			};
		},
		connected(client) {
			current = client;
			for (const entry of entries) entry.start(client);
		},
		endAll(error) {
			const all = [...entries];
			entries.clear();
			for (const entry of all) entry.end(error);
		},
	};
}
