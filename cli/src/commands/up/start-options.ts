import type { Clock } from "@kedge/machinery";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import type { Supervisor } from "../../cluster/supervisor.ts";
import type { KedgeContext } from "../../context.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { UpFlags } from "./flags.ts";

/** What a start takes. */
export interface StartOptions {
  readonly context: KedgeContext;
  readonly flags: UpFlags;
  readonly folder: ClusterFolder;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Launches the parts, and looks after them. */
  readonly supervisor: Pick<Supervisor, "start">;
  /** Whether it runs without a terminal (`--detach`): then Ctrl-C is not what stops it. */
  readonly background: boolean;
}
