import { join } from "node:path";
import { claim, type Claim, type Claims } from "./claims.ts";
import { clusterFolder, dirOption, type ClusterFolder } from "./cluster-folder.ts";
import { settingIn } from "./cluster-settings.ts";
import { freePort, isTaken } from "./free-port.ts";
import { runningProcesses } from "./running-processes.ts";

/** Which port a cluster wants: one that it insists on, or one that it would like. */
export interface PortWish {
  readonly demanded: number | undefined;
  readonly wished: number;
}

/**
 * A port for a cluster's API server that nobody listens on, and no other cluster has that starts or runs now: those
 * begin to listen later than they choose, and not while their server is started again. Throws when it must be one that
 * is taken.
 */
export async function claimPort(
  { demanded, wished }: PortWish,
  { folder, cache }: { readonly folder: ClusterFolder; readonly cache: string },
): Promise<number> {
  const { port } = await claim(folder, claimsIn(cache), async (others) => {
    const claimed = new Map(others.map((one) => [one.port, one.folder]));
    const value = { port: demanded ?? (await choose(wished, claimed)) };
    if (demanded !== undefined) await check(demanded, claimed.get(demanded));
    return { name: String(value.port), value };
  });
  return port;
}

async function choose(wished: number, claimed: ReadonlyMap<number, string>): Promise<number> {
  let port = claimed.has(wished) ? 0 : wished;
  do port = await freePort(port);
  while (claimed.has(port));
  return port;
}

async function check(port: number, claimant: string | undefined): Promise<void> {
  const wayOut = "Give another, or none for a free one.";
  if (claimant !== undefined)
    throw new Error(
      `--port ${port}: it is the port of the cluster in ${claimant}. ${wayOut} ` +
        `\`kedge down${dirOption(claimant)}\` stops that cluster.`,
    );
  if (await isTaken(port)) throw new Error(`--port ${port}: somebody listens there already. ${wayOut}`);
}

interface HasPort {
  readonly port: number;
}

function claimsIn(cache: string): Claims<HasPort> {
  return {
    path: join(cache, "ports"),
    isClaim: (value): value is Claim & HasPort => typeof value.port === "number",
    async isKept({ folder: path, port }) {
      const folder = clusterFolder(path);
      if ((await settingIn(folder, "port")) !== port) return false;
      return (await runningProcesses(folder).catch(() => [])).length > 0;
    },
  };
}
