import { resolve } from "node:path";
import { realRandom, silentLogger } from "@kedge/machinery";
import { addressAt, parseRange, takenBy, type NetworkCommands } from "@kedge/network";
import type { PackageProgress } from "@kedge/node";
import { ensureCertificates } from "../../cluster/certificates.ts";
import { cleanUpCluster } from "../../cluster/clean-up.ts";
import { claimPort } from "../../cluster/claim-port.ts";
import { claimRanges } from "../../cluster/claim-ranges.ts";
import {
  hasCluster,
  isSimulated,
  loadSettings,
  newSettings,
  saveSettings,
  withNodes,
  type ClusterSettings,
} from "../../cluster/cluster-settings.ts";
import { cacheFolder } from "../../cluster/cache-folder.ts";
import { writeKubeconfigs } from "../../cluster/kubeconfigs.ts";
import { machinePrograms } from "../../cluster/machine-programs.ts";
import {
  hasNamespaces,
  machineAddress,
  machineNetworkOf,
  serverForNodes,
} from "../../cluster/node-network.ts";
import { withAliases } from "../../cluster/image-aliases.ts";
import { readSchedulerConfig } from "../../cluster/scheduler-config.ts";
import { makePrivate } from "../../cluster/private-folders.ts";
import { readPrivateFile } from "../../cluster/private-file.ts";
import { simulatedIdentity, simulatedRanges } from "../../cluster/simulated-cluster.ts";
import { unmarkStopped } from "../../cluster/stopped-nodes.ts";
import { chosenStore } from "../../cluster/store-choice.ts";
import { checkStoreFile } from "../../cluster/store-file.ts";
import type { StartOptions } from "./start-options.ts";

/** What a start begins with. */
export interface PreparedCluster {
  readonly settings: ClusterSettings;
  /** The port that was wished for, when somebody else listens there. */
  readonly takenPort?: number;
}

/** Programs, settings, certificates, and a machine without what a killed cluster left on it. */
export async function prepareCluster(options: StartOptions): Promise<PreparedCluster> {
  const { context, folder, clock } = options;
  const { env } = context.process;
  const logger = silentLogger;
  const known = (await hasCluster(folder)) ? await loadSettings(folder) : await makeSettings(options);
  checkStoreFile(folder, known);
  const profiles = await readSchedulerConfig(options.flags.schedulerConfig);
  const store = chosenStore(known, options.flags.store);
  const wanted = withNodes(known, options.flags.nodes ?? known.nodes.length);
  const commands = isSimulated(known) ? undefined : await fetchedCommands(options);
  await cleanUpCluster({ folder, settings: known, clock, logger, env });
  const { exposeNodePorts, nodeMonitorGracePeriod } = options.flags;
  const settings = {
    ...wanted,
    store,
    encryptionProviderConfig: encryptionFile(options) ?? known.encryptionProviderConfig,
    auditPolicyFile:
      options.flags.auditPolicyFile === undefined
        ? known.auditPolicyFile
        : resolve(options.flags.auditPolicyFile),
    exposeNodePorts,
    nodeMonitorGracePeriod,
    imageAliases: withAliases(known.imageAliases ?? {}, options.flags.imageAlias ?? []),
    schedulerProfiles: profiles ?? known.schedulerProfiles,
    port: await claimPort(
      { demanded: options.flags.port, wished: known.port },
      { folder, cache: cacheFolder(env) },
    ),
  };
  const taken = isSimulated(settings) ? undefined : takenBy(settings);
  if (taken !== undefined) {
    throw new Error(
      `the cluster in ${folder.path} has the addresses ${taken.range}, and so has this machine's interface ` +
        `${taken.name}. If that is another cluster, stop it first; or give another --dir.`,
    );
  }
  await saveSettings(folder, settings);
  // Simulated nodes have nothing in folders, and are one to the API server.
  const nodes = isSimulated(settings) ? simulatedIdentity(settings.nodes) : settings.nodes;
  await makePrivate(folder, isSimulated(settings) ? [] : nodes);
  for (const { name } of settings.nodes) await unmarkStopped(folder, name);
  await ensureCertificates({
    folder,
    clock,
    random: realRandom,
    nodes,
    serverAddresses: [machineAddress(settings), addressAt(parseRange(settings.serviceRange), 1)],
  });
  await writeKubeconfigs({
    folder,
    nodes,
    server: `https://127.0.0.1:${settings.port}`,
    serverForNodes: `https://${serverForNodes(settings)}:${settings.port}`,
  });
  if (commands !== undefined && hasNamespaces(settings))
    await machineNetworkOf(settings, { commands, clock }).start(settings.nodes);
  return settings.port === (options.flags.port ?? known.port)
    ? { settings }
    : { settings, takenPort: known.port };
}

/** With its whole path: the server's process may have another working directory. It is read once here, to be told of faults early. */
function encryptionFile({ flags }: StartOptions): string | undefined {
  if (flags.encryptionProviderConfig === undefined) return undefined;
  readPrivateFile(flags.encryptionProviderConfig);
  return resolve(flags.encryptionProviderConfig);
}

/** Of a cluster that is yet to be. */
async function makeSettings({ context, flags, folder }: StartOptions): Promise<ClusterSettings> {
  const { runtime } = flags;
  if (runtime === "simulated") return { ...newSettings(simulatedRanges, realRandom), runtime };
  return newSettings(await claimRanges(folder, cacheFolder(context.process.env)), realRandom);
}

async function fetchedCommands({ context, terminal, clock }: StartOptions): Promise<NetworkCommands> {
  const onProgress = ({ package: name, version }: PackageProgress): void =>
    terminal.waitFor(`fetching ${name} ${version} from Debian`);
  const { env } = context.process;
  return (await machinePrograms({ clock, logger: silentLogger, env, onProgress })).commands;
}
