import { makeStore, type StoreShape } from "../fixture/make-store.ts";
import { programInput } from "../run-program.ts";

const { file, directory, shape } = programInput<{ file: string; directory: string; shape: StoreShape }>();
await makeStore(file, directory, shape);
