/** JSONL stores in a folder of any kind: what `outlive/durable/storage/jsonl` exports. */
export type { StoreFile, StoreFolder } from "./folder.ts";
export { type JsonlStorageOptions, openJsonlStorage } from "./storage.ts";
