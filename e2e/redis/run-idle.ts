import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { stayIdle, writeAuditPolicy } from "./idle.ts";

// `kedge bench redis-idle`: node e2e/redis/run-idle.ts [minutes] [instances in containers] [simulated instances]
const [minutes = 10, real = 20, simulated = 1000] = process.argv.slice(2).map(Number);
const onNews = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), "kedge-idle-"));
const policy = join(folder, "policy.yaml");
writeAuditPolicy(policy);
try {
  const reason = whyNoContainers();
  if (reason !== undefined) onNews(`in containers: ${reason}`);
  else await tell(real, false);
  await tell(simulated, true);
} finally {
  rmSync(folder, { recursive: true });
}

async function tell(instances: number, isSimulated: boolean): Promise<void> {
  if (instances === 0) return;
  const nodes = isSimulated ? ["--runtime", "simulated", "--nodes", "20"] : [];
  await using cluster = await upCluster({
    flags: ["--no-sample", "--audit-policy-file", policy, ...nodes],
  });
  const { servers, requests, commands, problems } = await stayIdle(cluster, {
    instances,
    minutes,
    isSimulated,
    onNews,
  });
  const where = isSimulated ? "on simulated nodes" : `with ${servers} servers in containers`;
  onNews(`\n${instances} idle instances ${where}, ${minutes} minutes, load ${loadavg()[0]?.toFixed(1)}`);
  const byCount = (counts: ReadonlyMap<string, number>) => [...counts].toSorted(([, a], [, b]) => b - a);
  onNews("  requests to the API server:");
  for (const [what, count] of byCount(requests)) onNews(`  ${String(count).padStart(7)}  ${what}`);
  if (servers > 0) onNews("  Redis commands:");
  for (const [what, count] of byCount(commands).filter(([, calls]) => calls > 0))
    onNews(
      `  ${String(count).padStart(7)}  ${what}, ${(count / servers / minutes).toFixed(1)} a server and minute`,
    );
  onNews(
    problems.length === 0
      ? "The operator has written and listed nothing.\n"
      : `The operator should not have asked for this: ${problems.join(", ")}\n`,
  );
  if (problems.length > 0) process.exitCode = 1;
}
