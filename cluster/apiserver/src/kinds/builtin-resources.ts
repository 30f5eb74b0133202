import type { PodConnects } from "../node-proxy/types.ts";
import type { Resource } from "../registry/types.ts";
import { workloadDefinitions } from "./apps/workloads.ts";
import { configMapDefinition } from "./core/config-map.ts";
import { eventDefinition } from "./core/event.ts";
import { nodeDefinition } from "./core/node.ts";
import { secretDefinition } from "./core/secret.ts";
import { serviceAccountDefinition } from "./core/service-account.ts";
import type { KindDefinition } from "./kind-definition.ts";
import { namespaceDefinition } from "./namespace/namespace.ts";
import { priorityClassDefinition } from "./other/priority-class.ts";
import { smallDefinitions } from "./other/small-kinds.ts";
import { podDefinition } from "./pod/pod.ts";
import { builtinFacts, resourceOf } from "./resource-of.ts";
import { ServiceAllocator } from "./service/allocator.ts";
import { serviceDefinition } from "./service/service.ts";
import { volumeDefinition } from "./volumes/persistent-volume.ts";
import { claimDefinition } from "./volumes/persistent-volume-claim.ts";
import { storageClassDefinition } from "./volumes/storage-class.ts";

/** What differs between clusters. */
export interface BuiltinOptions {
  /** Where services get their addresses from: `10.96.0.0/12`. */
  readonly serviceRange: string;
  /** The subresources of pods that lead to their node: `podConnects(…)`. Default: none are served. */
  readonly podConnects?: PodConnects | undefined;
}

/** The resources of all built-in kinds that this server has, ready to be registered. Made once for each server. */
export function builtinResources(options: BuiltinOptions): readonly Resource[] {
  const facts = builtinFacts();
  return definitions(options).map((definition) => resourceOf(definition, facts));
}

function definitions({ serviceRange, podConnects }: BuiltinOptions): readonly KindDefinition[] {
  return [
    namespaceDefinition(),
    nodeDefinition(),
    podDefinition(podConnects),
    serviceDefinition(new ServiceAllocator(serviceRange)),
    configMapDefinition(),
    secretDefinition(),
    serviceAccountDefinition(),
    eventDefinition(),
    claimDefinition(),
    volumeDefinition(),
    storageClassDefinition(),
    priorityClassDefinition(),
    ...workloadDefinitions(),
    ...smallDefinitions(),
  ];
}
