import { connect, loadKubeconfig } from "@kedge/client";
import { messageOf, realClock, realRandom } from "@kedge/machinery";
import { addVolumeProvisioner, createSimulatedNodes, createSimulatedVolumeFolders } from "@kedge/node";
import { createLogger, createManager } from "@kedge/runtime";
import { readNodeCertificates, userToNodes } from "../cluster/certificates.ts";
import { clusterFolder } from "../cluster/cluster-folder.ts";
import { loadSettings } from "../cluster/cluster-settings.ts";
import { kubeconfigOf } from "../cluster/kubeconfigs.ts";
import { simulatedNodes } from "../cluster/simulated-cluster.ts";
import { isStopped, sayEnded } from "../cluster/stopped-nodes.ts";
import { untilListening } from "../cluster/until-listening.ts";
import { runPart, type RunningPart } from "./part.ts";

// All nodes of a cluster with simulated pods, in one process. Started by `kedge up` with the folder.
const clock = realClock;
const random = realRandom;
const folder = clusterFolder(process.argv[2]);
const logger = createLogger({ clock, level: "info" });

await runPart({ clock, logger, start });

async function start(onProgress: (what: string) => void): Promise<RunningPart> {
  const { nodes, port } = await loadSettings(folder);
  const { authority, serving } = await readNodeCertificates(folder, simulatedNodes);
  const config = await loadKubeconfig({
    env: {},
    clock,
    path: kubeconfigOf(folder, { node: simulatedNodes }),
  });
  const shared = { clock, random, logger };
  const client = connect(config, {
    ...shared,
    userAgent: "kubelet/kedge-simulated",
    dropManagedFields: true,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const host = "127.0.0.1";
  const agents = createSimulatedNodes({
    ...shared,
    client,
    nodes,
    api: { host, serving, clientAuthority: authority, clientName: userToNodes },
    isOff: (name) => isStopped(folder, name),
    onOff: (name) =>
      sayEnded(folder, name).catch((error: unknown) =>
        logger.warn("That a node is off could not be said", { node: name, why: messageOf(error) }),
      ),
  });
  const provisioner = createManager({
    ...shared,
    client,
    logWrites: "debug",
    name: "local-path",
    metrics: "none",
  });
  const nodeNames = nodes.map(({ name }) => name);
  addVolumeProvisioner(provisioner, { nodeNames, folders: createSimulatedVolumeFolders() });
  await untilListening(port, { host, clock, onWait: () => onProgress("waiting for the API server") });
  const ready = Promise.withResolvers<void>();
  const work = [agents.run(signal, ready.resolve), provisioner.run(signal)];
  await Promise.race([Promise.all([ready.promise, provisioner.ready()]), ...work]);
  return {
    work,
    async stop() {
      stopping.abort();
      await Promise.allSettled(work);
      await client.close();
    },
  };
}
