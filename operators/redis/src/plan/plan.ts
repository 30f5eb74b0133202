import { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import { applyChild, deleteChild } from "@kedge/runtime";
import { configHash } from "../config/redis-config.ts";
import { promoteAnnotation, restartAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { configCopyOf, configMapOf } from "../specs/config-map.ts";
import { headlessServiceOf, replicasServiceOf, serviceOf } from "../specs/services.ts";
import { statefulSetOf } from "../specs/stateful-set.ts";
import { peersOf } from "../specs/peers.ts";
import { acceptedPodMetadata, metricsRefusals, podRefusals } from "../rules/pod-rules.ts";
import { planConfig, unusedCopies } from "./config.ts";
import { planCredentials } from "./credentials.ts";
import { planDeletion } from "./deletion.ts";
import { extraRefusals, planExtras } from "./extras.ts";
import { passwordRefusals } from "./password-refusals.ts";
import { planLiveConfig } from "./live-config.ts";
import { planMove } from "./move-storage.ts";
import { planPeers } from "./peers.ts";
import { planStatefulSet } from "./rebuild.ts";
import { planReplicas } from "./replicas.ts";
import { planReplication } from "./replication/plan-replication.ts";
import { replicationFacts } from "./replication-facts.ts";
import { planRollBack } from "./roll-back.ts";
import { nextToReplace } from "./roll.ts";
import { planStorage } from "./storage.ts";
import type { Action, InstancePlan } from "./types.ts";
import { doneAccepting, unrecordedWriters } from "./upgrade.ts";

/** Decides what to do about an instance. */
export function planInstance(observed: Observed): InstancePlan {
  const isDeleted = observed.instance.metadata.deletionTimestamp !== undefined;
  if (isDeleted) return planDeletion(observed);
  const plan = planChildren(observed);
  // Left alone; what would be refused is still said.
  return observed.instance.spec.suspend === true ? { ...plan, actions: [] } : plan;
}

function planChildren(observed: Observed): InstancePlan {
  const { instance } = observed;
  const { spec, metadata } = instance;
  const config = planConfig(observed);
  const volumes = planStorage({ storage: spec.storage, replicas: config.replicas }, observed);
  const { storage, resizes, refusals } = volumes;
  const scale = planReplicas(observed, config.replicas);
  const credentials = planCredentials(observed);
  const allRefusals = [
    ...config.refusals,
    ...scale.refusals,
    ...passwordRefusals(observed),
    ...refusals,
    ...podRefusals(spec.podMetadata),
    ...metricsRefusals(spec),
    ...extraRefusals(observed),
    ...credentials.refusals,
  ];
  // A new instance is made as it was asked for, or not at all.
  if (config.text === undefined || storage === undefined || scale.pods === undefined)
    return { actions: [], refusals: allRefusals };
  const move = planMove({ ...observed, wanted: scale.pods }, volumes);
  const replication = planReplication(replicationFacts(observed));
  // Who is about to become the primary, or is to whatever is lost, must keep its volume: nothing is given up meanwhile.
  const isSteady =
    replication.primary === observed.replication?.primary &&
    metadata.annotations?.[promoteAnnotation] === undefined;
  const next = nextToReplace({ ...observed, primary: replication.primary, wanted: scale.pods });
  const authEnabled = spec.auth.enabled;
  // What pods need to start comes first; what running servers are told can wait for a primary.
  const [serverActions, secretActions] = partition(credentials.actions, ({ type }) =>
    ["try users", "set users", "finish rotation"].includes(type),
  );
  const live = planLiveConfig(observed, { ...config, text: config.text });
  const hash = configHash(live.base);
  const copy = configCopyOf(metadata, { text: live.base, hash });
  const wanted = statefulSetOf(metadata, {
    image: config.image,
    replicas: keepingPrimary(scale.pods, observed, replication.primary),
    resources: config.resources,
    storage,
    authEnabled,
    configHash: hash,
    placing: {
      ...podMetadataOf(instance),
      ...spec.placement,
      priorityClassName: spec.priorityClassName,
    },
  });
  const roll = planRollBack(observed, wanted);
  return {
    actions: [
      ...unrecordedWriters(observed).map((written) => ({ type: "record image", ...written }) as const),
      ...(authEnabled ? passwordActions(observed) : []),
      ...(observed.binding === "stale" ? [{ type: "write binding" } as const] : []),
      ...secretActions,
      // Before all that could fail: writes may be waiting for it.
      ...replication.first,
      applyChild(Service, serviceOf(metadata, replication.primary, observed.service)),
      ...replication.after,
      applyChild(ConfigMap, configMapOf(metadata, live.shown)),
      applyChild(ConfigMap, copy),
      applyChild(
        ConfigMap,
        peersOf(metadata, {
          ...planPeers(observed, { text: config.text, replicas: scale.replicas }),
          overlays: live.overlays,
        }),
      ),
      ...live.actions,
      ...serverActions,
      applyChild(Service, headlessServiceOf(metadata)),
      applyChild(Service, replicasServiceOf(metadata)),
      ...resizes.map((resize) => ({ type: "resize claim", ...resize }) as const),
      ...planStatefulSet(roll.statefulSet, observed.statefulSet),
      ...roll.actions,
      ...(next === undefined && isSteady ? move.actions : []),
      ...(next === undefined ? [] : [{ type: "stop pod", pod: next.pod, uid: next.uid } as const]),
      ...doneAccepting(observed),
      ...planExtras(observed, { replicas: scale.replicas, pods: scale.pods }),
      // While it is open whether servers are changed or replaced, the next pods may need any of them.
      ...(live.again === undefined ? unusedCopies(observed, copy.metadata.name) : []).map((old) =>
        deleteChild(ConfigMap, old.metadata),
      ),
    ],
    refusals: [...allRefusals, ...live.refusals, ...roll.refusals],
    ...soonest(replication.again, live.again, credentials.again, move.again, roll.again),
  };
}

function partition<T>(
  all: readonly T[],
  isFirst: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter((one) => isFirst(one)), all.filter((one) => !isFirst(one))];
}

/** Of the pods: what the spec says, and the restart that somebody asked for. */
function podMetadataOf({ spec, metadata }: Observed["instance"]): ReturnType<typeof acceptedPodMetadata> {
  const { labels, annotations } = acceptedPodMetadata(spec.podMetadata);
  const restartedAt = metadata.annotations?.[restartAnnotation];
  return {
    labels,
    annotations: { ...annotations, ...(restartedAt !== undefined && { [restartAnnotation]: restartedAt }) },
  };
}

function soonest(...times: readonly (number | undefined)[]): { readonly again?: number } {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? {} : { again: Math.min(...known) };
}

/** A primary that is scaled away hands over first. */
function keepingPrimary(pods: number, { servers }: Observed, primary: string): number {
  const head = servers.find(({ pod }) => pod === primary);
  const isLeaving = pods > 0 && head?.answer?.facts.role === "primary" && head.ordinal >= pods;
  return isLeaving && head !== undefined ? head.ordinal + 1 : pods;
}

function passwordActions({ password }: Observed): readonly Action[] {
  if (password === "missing") return [{ type: "create password" }];
  if (password === "new") return [{ type: "adopt password" }];
  return password === "deleted" ? [{ type: "restore password" }] : [];
}
