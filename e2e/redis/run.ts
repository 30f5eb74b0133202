import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { realClock } from "@kedge/machinery";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { compareWithSentinel } from "./compare.ts";
import { gapTable } from "./gap-table.ts";

// `kedge bench redis` gives its flags to this.
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "10" },
    pauses: { type: "string", default: "1" },
    switchovers: { type: "string", default: "1" },
    "node-kills": { type: "string", default: "1" },
  },
});
const rounds = {
  kills: Number(values.kills),
  pauses: Number(values.pauses),
  switchovers: Number(values.switchovers),
  nodeKills: Number(values["node-kills"]),
};
const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(" ");
const reason = whyNoContainers();
if (reason === undefined) {
  const began = realClock.monotonic();
  const onNews = (line: string): void => {
    const seconds = (realClock.monotonic() - began) / 1000;
    process.stdout.write(`${seconds.toFixed(0).padStart(5)} s  ${line}\n`);
  };
  await using cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
  onNews(`load ${load()} at the beginning`);
  const rows = await compareWithSentinel(cluster, rounds, onNews);
  onNews(`load ${load()} at the end`);
  process.stdout.write(`\n${gapTable(rows)}`);
  process.exitCode = rows.some(({ problems }) => problems.length > 0) ? 1 : 0;
} else {
  process.stderr.write(`redis: ${reason}\n`);
  process.exitCode = 1;
}
