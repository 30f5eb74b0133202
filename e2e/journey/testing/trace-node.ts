import type { PodNetwork } from "@kedge/network";
import type { ContainerRuntime, ExecProcess, NodeMounts } from "@kedge/node";
import { basename } from "node:path";
import type { Journal } from "./journal.ts";
import { putBetween } from "./put-between.ts";

const layer = "kubelet";
/** The label that the agent gives every container. */
const containerName = "io.kubernetes.container.name";

/** Notes when a pod has its network. */
export function traceNetwork(journal: Journal): (network: PodNetwork) => PodNetwork {
  return (network) =>
    putBetween(network, {
      attach: async (uid, hostPorts) => {
        const attached = await network.attach(uid, hostPorts);
        journal.note("network", layer, `network namespace and address ${attached.address}`);
        return attached;
      },
    });
}

/** Notes when a pod's volumes are being made: the one in memory is mounted. */
export function traceMounts(journal: Journal): (mounts: NodeMounts) => NodeMounts {
  return (mounts) =>
    putBetween(mounts, {
      memory: async (path, options) => {
        await mounts.memory(path, options);
        journal.note("volumes", layer, `volumes: ${basename(path)} in memory (tmpfs), the others as folders`);
      },
    });
}

/** Notes when containers start, when the first has ended, and when a probe has found the second to be ready. */
export function traceRuntime(
  journal: Journal,
  { init, main, probe }: { readonly init: string; readonly main: string; readonly probe: string },
): (runtime: ContainerRuntime) => ContainerRuntime {
  return (runtime) => {
    runtime.onExit(({ labels, exitCode }) => {
      if (labels[containerName] !== init) return;
      journal.note("init container", layer, `init container ${init} has ended with code ${exitCode}`);
    });
    return putBetween(runtime, {
      start: async (id) => {
        await runtime.start(id);
        const { labels, pid } = (await runtime.inspect(id)) ?? {};
        if (labels?.[containerName] !== main) return;
        journal.note("container", "runc", `container ${main} runs as process ${pid} of this machine`);
      },
      exec: async (id, command) => {
        const process = await runtime.exec(id, command);
        if (command.command.join(" ").includes(probe)) void noteSuccess(process, journal);
        return process;
      },
    });
  };
}

async function noteSuccess({ exit }: ExecProcess, journal: Journal): Promise<void> {
  // One that could not be run is the agent's to report.
  const { exitCode } = await exit.catch(() => ({ exitCode: -1 }));
  if (exitCode === 0) journal.note("probe", layer, "readiness probe: redis-cli ping is answered");
}
