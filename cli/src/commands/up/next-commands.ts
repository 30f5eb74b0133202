import { dirOption, type ClusterFolder } from "../../cluster/cluster-folder.ts";
import { isSimulated } from "../../cluster/cluster-settings.ts";
import { saySimulated, thisMachine, type Machine } from "../../cluster/pod-runtime.ts";
import type { PreparedCluster } from "./prepare-cluster.ts";
import type { UpFlags } from "./flags.ts";
import { sampleKey } from "./sample-key.ts";

/** What the text is about. */
export interface NextCommandsOptions extends PreparedCluster {
  readonly flags: UpFlags;
  readonly folder: ClusterFolder;
  /** Whether the sample runs. */
  readonly sample: boolean;
  /** Whether nobody sits before it who could press Ctrl-C. */
  readonly background: boolean;
  /** How long the start took. */
  readonly total: string;
  readonly bold: (text: string) => string;
  /** Default: this one. */
  readonly machine?: Machine;
}

/** What to type when the cluster is up. */
export function nextCommands(options: NextCommandsOptions): string {
  const { flags, folder, settings, takenPort, bold } = options;
  const where = dirOption(flags.dir);
  const commands = [
    ...(options.sample ? [`./kedge redis cli ${sampleKey.name} ping${where}`] : []),
    `export KUBECONFIG=${folder.kubeconfig}`,
    `kubectl get ${flags.operators ? "redisinstances," : ""}pods,services`,
    `./kedge status${where}`,
    ...(options.background ? [`./kedge down${where}`] : []),
  ];
  const port = `(The API server listens on ${settings.port}: ${takenPort} was taken.)\n`;
  return [
    isSimulated(settings) ? saySimulated(options.machine ?? thisMachine(), flags.dir) : "",
    `Ready in ${options.total}. Next:\n`,
    ...commands.map((command) => `  ${bold(command)}\n`),
    takenPort === undefined ? "" : port,
    options.background ? "" : "Ctrl-C stops it; its data stays.\n",
  ].join("");
}
