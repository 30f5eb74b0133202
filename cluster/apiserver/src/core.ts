import type { Clock, Logger, Random, Turns } from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import type { YamlReader } from "./decode/yaml-reader.ts";
import type { Objects, Registry } from "./registry/types.ts";
import type { Storage } from "./storage/storage.ts";

/** What all verbs work with. */
export interface Core {
  readonly clock: Clock;
  /** For work that would hold up others. */
  readonly turns: Turns;
  readonly random: Random;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly storage: Storage;
  readonly objects: Objects;
  /** The built-in types, for decoding. */
  readonly table: SchemaTable;
  readonly yaml: YamlReader;
}
