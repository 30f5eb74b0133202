import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { stayCalm } from "./calm.ts";

// `kedge bench redis-calm`: node e2e/redis/run-calm.ts [minutes]
const minutes = Number(process.argv[2] ?? "60");
const reason = whyNoContainers();
if (reason === undefined) {
  const onNews = (line: string): void => void process.stdout.write(`${line}\n`);
  await using cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
  const { instances, loads, problems } = await stayCalm(cluster, { minutes, onNews });
  const sorted = loads.toSorted((one, other) => one - other);
  const [least, middle, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  onNews(
    `\n${minutes} minutes, load ${least?.toFixed(1)} to ${most?.toFixed(1)}, median ${middle?.toFixed(1)}`,
  );
  for (const one of instances)
    onNews(
      [
        `  ${one.durability.padEnd(6)}  ${one.acknowledged} writes acknowledged, ${one.lost} lost`,
        `${one.changes} changes of the primary, ${one.restarts} restarts`,
        `longest gap ${one.longestGapMs.toFixed(0)} ms, ${one.gapsMs.length} over 1 s (${one.gapsMs.map((ms) => ms.toFixed(0)).join(", ")})`,
        `refused ${JSON.stringify(one.refusals)}`,
      ].join("; "),
    );
  onNews(problems.length === 0 ? "Nothing has happened." : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} else {
  process.stderr.write(`redis-calm: ${reason}\n`);
  process.exitCode = 1;
}
