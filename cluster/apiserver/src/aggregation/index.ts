export { createAggregator, type Aggregator } from "./aggregator.ts";
export type { Asker, Remotes, RemoteVersion, RemoteVersions } from "./types.ts";
