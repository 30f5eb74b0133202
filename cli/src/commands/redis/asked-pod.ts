import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ReadServer } from "./read-server.ts";

/** A pod and what its server said. */
export interface AskedPod {
  readonly pod: DeepReadonly<Pod>;
  readonly server: ReadServer | Error;
}
