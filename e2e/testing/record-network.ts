import { join } from "node:path";
import type { ClusterNetwork } from "@kedge/network";
import { writeWhole } from "@kedge/network/write-whole";

/** Writes a network down before it is made, for `kedge test`: it removes it if this run is interrupted. */
export async function recordNetwork(network: ClusterNetwork): Promise<void> {
  const run = process.env["KEDGE_TEST_RUN"];
  if (run === undefined) return;
  await writeWhole(join(run, "networks", `${network.id}.json`), JSON.stringify(network));
}
