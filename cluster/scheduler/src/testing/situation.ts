import { seededRandom, uid, type DeepReadonly, type Labels } from "@kedge/machinery";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { Cycle } from "../cycle.ts";
import { NominatedPods } from "../nominated-pods.ts";
import { defaultProfile, type Profile } from "../profile.ts";
import { ClusterView } from "../view/cluster-view.ts";
import type { OwnerSelectors } from "../view/owner-selectors.ts";
import { podInfoOf } from "../view/pod-info.ts";
import type { VolumeCatalog } from "../volumes/volume-catalog.ts";

/** A cluster at the moment at which a pod is placed. */
export interface Situation {
  readonly pod: Pod;
  readonly nodes: readonly Node[];
  /** Pods by the names of their nodes. One pod stands for as many as it is named. */
  readonly on?: Readonly<Record<string, readonly Pod[]>>;
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly namespaces?: Readonly<Record<string, Labels>>;
  readonly owners?: Partial<OwnerSelectors>;
  readonly profile?: Partial<Profile>;
  /** Pods that are promised a node, by its name. */
  readonly nominated?: Readonly<Record<string, readonly Pod[]>>;
  readonly budgets?: readonly DeepReadonly<PodDisruptionBudget>[];
}

/** What functions that place a pod are called with. */
export interface Prepared {
  readonly cycle: Cycle;
  readonly search: {
    readonly nominated: NominatedPods;
    readonly random: ReturnType<typeof seededRandom>;
    next: number;
  };
}

/** Brings a situation about. */
export function prepared(situation: Situation): Prepared {
  const view = new ClusterView();
  for (const node of situation.nodes) view.setNode(node.metadata.name, node);
  for (const [name, pods] of Object.entries(situation.on ?? {})) {
    for (const [index, each] of pods.entries()) {
      const metadata = { ...each.metadata, uid: uid(`${name}-${index}`) };
      view.see(metadata.uid, { ...each, metadata, spec: { ...each.spec, nodeName: name } });
    }
  }
  const nominated = new NominatedPods();
  for (const [name, pods] of Object.entries(situation.nominated ?? {})) {
    for (const each of pods) nominated.set(podInfoOf(each), name);
  }
  const { pod } = situation;
  const cycle: Cycle = {
    pod,
    info: podInfoOf(pod),
    profile: { ...defaultProfile, ...situation.profile },
    view,
    namespaceLabels: (name) => situation.namespaces?.[name] ?? { "kubernetes.io/metadata.name": name },
    volumes: catalogOf(situation),
    owners: { services: () => [], workload: () => undefined, ...situation.owners },
  };
  return { cycle, search: { nominated, random: seededRandom("situation"), next: 0 } };
}

/** The claims, volumes and classes of a situation. */
export function catalogOf({ claims = [], volumes = [], classes = [] }: Partial<Situation>): VolumeCatalog {
  return {
    claim: (namespace, name) =>
      claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumesOfClass: (name) => volumes.filter(({ spec }) => (spec?.storageClassName ?? "") === name),
    storageClass: (name) => classes.find(({ metadata }) => metadata.name === name),
  };
}
