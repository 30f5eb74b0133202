import type { Logger, Turns } from "@kedge/machinery";
import type { BodyReaders } from "./decode/parse-body.ts";
import type { WriteCore } from "./write/scope.ts";

/** What a server is made of. Each verb says by its type which parts it uses. */
export interface Core extends WriteCore, BodyReaders {
  /** For work that would hold up others. */
  readonly turns: Turns;
  readonly logger: Logger;
}
