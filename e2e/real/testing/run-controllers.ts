import { connect, type ClientConfig } from "@kedge/client";
import {
  addControllers,
  type HorizontalPodAutoscalerOptions,
  type NodeLifecycleOptions,
  type PodGcOptions,
} from "@kedge/controllers";
import { realClock, realRandom, silentLogger, type Logger } from "@kedge/machinery";
import { addVolumeProvisioner, createVolumeFolders, plainFolders } from "@kedge/node";
import { createManager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";

/** Our controllers and scheduler at work, on whatever server. */
export interface RunningControllers {
  stop(): Promise<void>;
}

/** What they are told. */
export interface ControllersSetup {
  readonly config: ClientConfig;
  readonly authority: string;
  /** Where the volumes of `node-1` are. Absent: nobody makes any. */
  readonly volumeFolder?: string;
  /** Default: nodes may be silent for a day, since played kubelets send no heartbeats. */
  readonly nodeLifecycle?: Partial<NodeLifecycleOptions>;
  /** Default: as Kubernetes has it. */
  readonly podGc?: Partial<PodGcOptions>;
  /** Default: as Kubernetes has it. */
  readonly horizontalPodAutoscaler?: Partial<HorizontalPodAutoscalerOptions>;
  readonly logger?: Logger;
}

const day = 86_400_000;
/** Nodes that are played have no heartbeats. */
export const patientNodeLifecycle = { monitorGracePeriod: day, startupGracePeriod: day };

/** Starts them as `kedge up` does, and gives them when their caches are full. */
export async function runControllers(setup: ControllersSetup): Promise<RunningControllers> {
  const { authority, volumeFolder, logger = silentLogger, nodeLifecycle = patientNodeLifecycle } = setup;
  const { podGc, horizontalPodAutoscaler } = setup;
  const client = connect(setup.config);
  const manager = createManager({
    client,
    clock: realClock,
    random: realRandom,
    logger,
    name: "controllers",
  });
  addControllers(manager, {
    clock: realClock,
    logger,
    authority,
    nodeLifecycle,
    podGc,
    horizontalPodAutoscaler,
  });
  if (volumeFolder !== undefined) {
    const folders = createVolumeFolders(volumeFolder, realClock, plainFolders);
    addVolumeProvisioner(manager, { nodeNames: ["node-1"], folders });
  }
  manager.add(schedulerController());
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  await Promise.race([manager.ready(), running]);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      await client.close();
    },
  };
}
