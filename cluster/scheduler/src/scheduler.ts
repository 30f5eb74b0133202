import type { DeepReadonly } from "@kedge/machinery";
import { ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { Controller, ControllerHost } from "@kedge/runtime";
import { NominatedPods } from "./nominated-pods.ts";
import { observeCluster } from "./observe-cluster.ts";
import { defaultProfile, type Profile } from "./profile.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { SchedulingLoop } from "./scheduling-loop.ts";
import { ownerSelectors } from "./owner-lookup.ts";
import { ClusterView } from "./view/cluster-view.ts";
import { AssumedVolumes } from "./volumes/assumed-volumes.ts";

/** How pods are placed. */
export interface SchedulerOptions {
  /** By the names that pods ask for in `spec.schedulerName`. Default: Kubernetes' default profile. */
  readonly profiles?: readonly Profile[];
}

/**
 * Places pods as kube-scheduler does. A node is chosen, and its room taken, in one go, so that each pod sees what the one
 * before it took; the bindings are then sent side by side.
 */
export function schedulerController({ profiles = [defaultProfile] }: SchedulerOptions = {}): Controller {
  const made = new WeakMap<ControllerHost, RunningScheduler>();
  const schedulerOn = (host: ControllerHost): RunningScheduler => {
    const scheduler = made.get(host) ?? connect(host, profiles);
    made.set(host, scheduler);
    return scheduler;
  };
  return {
    name: defaultProfile.schedulerName,
    // Its role is Kubernetes' own: system:kube-scheduler.
    rights: [],
    prepare: (host) => void schedulerOn(host),
    async run(host, signal) {
      const { loop, synced } = schedulerOn(host);
      await synced(signal);
      await loop.run(signal);
    },
  };
}

interface RunningScheduler {
  readonly loop: SchedulingLoop;
  readonly synced: (signal: AbortSignal) => Promise<unknown>;
}

function connect(host: ControllerHost, profiles: readonly Profile[]): RunningScheduler {
  const { informers, clock } = host;
  const byName = new Map(profiles.map((profile) => [profile.schedulerName, profile]));
  const profileOf = ({ spec }: DeepReadonly<Pod>): Profile | undefined =>
    byName.get(spec.schedulerName ?? defaultProfile.schedulerName);
  const needed = [
    informers.of(Pod),
    informers.of(Node),
    informers.of(Namespace),
    informers.of(PersistentVolume),
    informers.of(PersistentVolumeClaim),
    informers.of(StorageClass),
    informers.of(PodDisruptionBudget, { isOptional: true }),
    informers.of(Service),
    informers.of(ReplicaSet),
    informers.of(StatefulSet),
    informers.of(ReplicationController, { isOptional: true }),
  ];
  const namespaces = informers.of(Namespace);
  const namespaceLabels = (name: string): Readonly<Record<string, string>> =>
    namespaces.get({ name })?.metadata.labels ?? {};
  const [view, nominated] = [new ClusterView(), new NominatedPods()];
  const volumes = new AssumedVolumes({
    claims: informers.of(PersistentVolumeClaim),
    volumes: informers.of(PersistentVolume),
    classes: informers.of(StorageClass),
  });
  const queue = new SchedulingQueue({
    clock,
    mayHelp: (filter, event, info) =>
      filter.mayHelp(event, info, { profile: profileOf(info.pod) ?? defaultProfile, namespaceLabels }),
    onReady: () => loop.ring(),
  });
  const owners = ownerSelectors(informers);
  const loop = new SchedulingLoop({
    host,
    view,
    queue,
    nominated,
    volumes,
    owners,
    namespaceLabels,
    profileOf,
  });
  observeCluster(informers, { view, queue, nominated, isOurs: (pod) => profileOf(pod) !== undefined });
  return { loop, synced: (signal) => Promise.all(needed.map((informer) => informer.synced(signal))) };
}
