import type { ServerProcess } from "../server-process.ts";

/** What was measured of one server: figures by name. */
export type Figures = ReadonlyMap<string, number>;

/** How thorough a measurement is. */
export interface PartOptions {
  readonly short: boolean;
}

/** A part of the measurement. Parts run in their order on one server, each on what those before it have left. */
export interface Part {
  readonly name: string;
  readonly run: (server: ServerProcess, options: PartOptions) => Promise<Figures>;
}
