import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mainProgram, partProgram } from "../programs.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { kubeconfigOf } from "./kubeconfigs.ts";
import { partMark } from "./part-programs.ts";

/** The parts, in the order of their start. Each node is one, by its name; simulated ones are one together. */
export type Role = "server" | `node/${string}` | "nodes" | "operator";

/** The process of a node's agent. */
export function nodeRole(name: string): Role {
  return `node/${name}`;
}

/** The name of the node whose agent has this role; undefined: it is another part. */
export function nodeOfRole(role: Role): string | undefined {
  return role.startsWith(nodeRole("")) ? role.slice(nodeRole("").length) : undefined;
}

/** What a part is launched with. */
export interface LaunchOptions {
  readonly folder: ClusterFolder;
  /** The file that its output is added to. */
  readonly log: string;
  /** The path of the network namespace that it is to be in. Default: this process' own. */
  readonly namespace?: string | undefined;
}

/** Starts the process of a part. It sends a message when it is ready. */
export function launchPart(role: Role, { folder, log, namespace }: LaunchOptions): ChildProcess {
  const output = openSync(log, "a");
  const [program, args] = inNamespace(namespace, [
    process.execPath,
    ...process.execArgv,
    ...argumentsOf(role, folder),
  ]);
  const child = spawn(program, args, {
    stdio: ["ignore", output, output, "ipc"],
    env: { ...process.env, ...partMark(folder, role) },
    // A Ctrl-C on the terminal is for the supervisor, which stops its parts in order.
    detached: true,
  });
  closeSync(output);
  return child;
}

/**
 * A command as a program with its arguments. `nsenter` becomes the program in the same process. Only the network is the
 * namespace's: what is mounted must be seen from the machine, to be unmounted after a kill.
 */
export function inNamespace(
  namespace: string | undefined,
  [program = "", ...args]: readonly string[],
): readonly [string, readonly string[]] {
  return namespace === undefined
    ? [program, args]
    : ["nsenter", [`--net=${namespace}`, "--", program, ...args]];
}

/** What Node.js is started with for a part. */
export function argumentsOf(role: Role, folder: ClusterFolder): readonly string[] {
  return [`--max-semi-space-size=${youngMiB(role)}`, ...programOf(role, folder)];
}

/**
 * How large each half of the space for young objects may grow. What a start leaves behind fills it, and V8 seldom gives it
 * back: with its own limit of 16 each part keeps 5 to 20 MiB more. The server has more than others, to be fast under load, and so has who plays hundreds of nodes.
 */
function youngMiB(role: Role): number {
  if (role === "server" || role === "nodes") return 4;
  return role === "operator" ? 2 : 1;
}

/** Parts are programs of ours; the operator is a command that users have, too. */
function programOf(role: Role, folder: ClusterFolder): readonly string[] {
  if (role === "server") return [partProgram("server"), folder.path];
  if (role === "nodes") return [partProgram("nodes"), folder.path];
  const node = nodeOfRole(role);
  if (node !== undefined) return [partProgram("node"), folder.path, node];
  // Nobody beyond this machine has business with them.
  const where = ["--health-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"];
  // There is one, and it need not wait for a Lease when it is started again.
  const alone = "--no-leader-elect";
  return [mainProgram, "operator", "--kubeconfig", kubeconfigOf(folder, "operator"), ...where, alone];
}
