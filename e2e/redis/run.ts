import { loadavg } from "node:os";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { compareWithSentinel } from "./compare.ts";
import { gapTable } from "./gap-table.ts";

// `kedge bench redis`: node e2e/redis/run.ts [how often the primary is killed] [how often each other fault happens] [how the
// names of faults begin: all of them unless it is said]
const kills = Number(process.argv[2] ?? "10");
const others = Number(process.argv[3] ?? "1");
const only = process.argv[4] ?? "";
const reason = whyNoContainers();
if (reason === undefined) {
  const onNews = (line: string): void => void process.stdout.write(`${line}\n`);
  await using cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
  onNews(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")} at the beginning`,
  );
  const rows = await compareWithSentinel(cluster, { kills, others, only, onNews });
  process.stdout.write(`\n${gapTable(rows)}`);
  onNews(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")} at the end`,
  );
  process.exitCode = rows.some(({ problems }) => problems.length > 0) ? 1 : 0;
} else {
  process.stderr.write(`redis: ${reason}\n`);
  process.exitCode = 1;
}
