/**
 * Compiles only while the stand-in is as `electron.d.ts` has it: each export is one of Electron's, and has no member that
 * Electron's lacks. That each member takes and gives what Electron's does, its own file says with `implements` or a
 * `Pick` of Electron's type.
 */
import type * as Real from "electron";
import type * as Fake from "./electron.ts";

type Fakes = typeof Fake;
type Reals = typeof Real;

/** Exports that Electron doesn't have. */
type ExtraExports = Exclude<keyof Fakes, keyof Reals>;

type PublicKey<T> = Extract<keyof T, string>;

/** Of an object its members; of a class its statics and its instances' members. */
type Members<T> = T extends abstract new (
	...args: never[]
) => infer I
	? PublicKey<I> | Exclude<PublicKey<T>, "prototype">
	: PublicKey<T>;

type ExtraMembers = {
	[K in Exclude<keyof Fakes, ExtraExports>]: Exclude<Members<Fakes[K]>, Members<Reals[K]>>;
};

/** A name in one of these is what the compiler then complains about. */
type None<T extends never> = T;
export type NoExtraExport = None<ExtraExports>;
export type NoExtraMember = None<ExtraMembers[keyof ExtraMembers]>;
