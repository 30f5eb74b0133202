import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * What parts of a cluster were not allowed to do: each has the rights that it needs, so there is nothing. What the agent
 * of a node may read goes with its pods, of which it may learn a moment later than the server: that is not counted.
 */
export async function refusals(dir: string): Promise<readonly string[]> {
  const text = await readFile(join(dir, "logs", "server.log"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line.includes("A part of the cluster was refused"))
    .filter((line) => !(line.includes('"system:node:') && ofPods.test(line)));
}

const ofPods =
  /"resource":"(?:configmaps|persistentvolumeclaims|persistentvolumes|pods|secrets|serviceaccounts\/token)"/u;
