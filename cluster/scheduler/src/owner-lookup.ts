import { ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ReplicationController, Service } from "@kedge/machinery/kinds/core/v1";
import type { Informers } from "@kedge/runtime";
import type { OwnerSelectors } from "./view/owner-selectors.ts";

const byNamespace = "scheduler-namespace";

/** The selectors of services and workloads, as the caches show them. */
export function ownerSelectors(informers: Informers): OwnerSelectors {
  const services = informers.of(Service);
  services.addIndex(byNamespace, ({ metadata }) => [metadata.namespace]);
  const [replicaSets, statefulSets] = [informers.of(ReplicaSet), informers.of(StatefulSet)];
  const controllers = informers.of(ReplicationController, { isOptional: true });
  return {
    services: (namespace) => services.byIndex(byNamespace, namespace).map(({ spec }) => spec?.selector),
    workload(kind, key) {
      if (kind === "ReplicaSet") return replicaSets.get(key)?.spec?.selector;
      if (kind === "StatefulSet") return statefulSets.get(key)?.spec?.selector;
      const matchLabels = controllers.get(key)?.spec?.selector;
      return matchLabels === undefined ? undefined : { matchLabels };
    },
  };
}
