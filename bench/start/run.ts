/**
 * How long it takes until something can be used, and what stays in memory then:
 * `kedge --help` against a Node.js that does nothing; the control plane of `kedge up` (API server, controllers and
 * scheduler) against etcd and kube-apiserver, to the event of the first object that was created; and `kedge up` to the
 * first PONG. In one run, turn by turn, so that a busy machine hits all alike. Needs root, and the control plane that
 * `./kedge test real` builds.
 */
import { measureHelp } from "./help.ts";
import { measureControlPlanes } from "./control-planes.ts";
import { printTable } from "./table.ts";
import { measureUp } from "./up.ts";

const help = measureHelp();
printTable(
  ["", "ms", "ratio"],
  [
    ["node -e 0", help.bare.toFixed(1), "1.00"],
    ["kedge --help", help.help.toFixed(1), (help.help / help.bare).toFixed(2)],
  ],
);

const { kedge, peer } = await measureControlPlanes();
printTable(
  ["start to first create and event", "ms", "CPU ms", "memory MiB"],
  [
    ["etcd and kube-apiserver", peer.startMs.toFixed(0), peer.cpuMs.toFixed(0), peer.memoryMiB.toFixed(0)],
    ["kedge's control plane", kedge.startMs.toFixed(0), kedge.cpuMs.toFixed(0), kedge.memoryMiB.toFixed(0)],
    [
      "kedge is",
      `${(peer.startMs / kedge.startMs).toFixed(1)}× faster`,
      `${(kedge.cpuMs / peer.cpuMs).toFixed(2)}×`,
      `${(kedge.memoryMiB / peer.memoryMiB).toFixed(2)}×`,
    ],
  ],
);

const up = await measureUp();
printTable(
  ["kedge up, a new cluster (CPU ms so far)", "at ms", ...up.roles],
  up.steps.map(({ name, atMs, cpuMs }) => [
    name,
    atMs.toFixed(0),
    ...up.roles.map((role) => cpuMs.get(role)?.toFixed(0) ?? ""),
  ]),
);
const all = up.memory.reduce((sum, { sharedMiB, privateMiB }) => sum + sharedMiB + privateMiB, 0);
printTable(
  ["memory MiB, three seconds later", "private", "share of shared", "resident"],
  [
    ...up.memory.map(({ role, privateMiB, sharedMiB, residentMiB }) => [
      role,
      privateMiB.toFixed(0),
      sharedMiB.toFixed(0),
      residentMiB.toFixed(0),
    ]),
    ["all", all.toFixed(0), `${(all / peer.memoryMiB).toFixed(2)}× of etcd and kube-apiserver`, ""],
  ],
);
printTable(
  ["kedge up to the first PONG", "ms"],
  [
    ["each", up.allMs.map((ms) => ms.toFixed(0)).join(", ")],
    ["median", up.medianMs.toFixed(0)],
  ],
);
