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
  /** Whether nobody sits before it who could press Ctrl-C. */
  readonly background: boolean;
}
