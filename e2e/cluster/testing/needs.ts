import { whyNoContainers } from "../../node/needs.ts";

/** Whether this machine can have a cluster; says once on standard error why not, for the tests that are skipped. */
export function canRunCluster(): boolean {
  const reason = whyNoContainers();
  if (reason !== undefined) process.stderr.write(`e2e/cluster skipped: ${reason}\n`);
  return reason === undefined;
}
