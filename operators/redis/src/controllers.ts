import { realRandom, type DeepReadonly, type ObjectKey, type Random } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { defineController, watches, type Controller } from "@kedge/runtime";
import { RedisInstance } from "./kind.ts";
import { appLabel, instanceLabel } from "./names.ts";
import { reconcileInstance } from "./reconcile.ts";

/** What the operator may be told. */
export interface RedisControllerOptions {
  /**
   * Where passwords come from. Default: the machine's own randomness, because the `Random` of a manager may be seeded,
   * and a seeded one is never for secrets. Simulations give a seeded one.
   */
  readonly secretRandom?: Random;
}

/** The controllers of this operator, for a manager. */
export function redisControllers({ secretRandom = realRandom }: RedisControllerOptions = {}): Controller[] {
  return [
    defineController({
      name: "redis-operator",
      for: RedisInstance,
      owns: [ConfigMap, StatefulSet, Service],
      // Only what carries our label is kept in memory: these kinds have many others, and Secrets are nobody's business.
      watches: [
        watches(Secret, instanceOf, { labelSelector: appLabel }),
        watches(Pod, instanceOf, { labelSelector: appLabel }),
        watches(PersistentVolumeClaim, instanceOf, { labelSelector: appLabel }),
      ],
      reconcile: (context) => reconcileInstance(context, { secretRandom }),
    }),
  ];
}

/** By the label that all of an instance's children and pods carry. */
function instanceOf({
  metadata,
}: DeepReadonly<{
  metadata: { namespace: string; labels?: Record<string, string> | undefined };
}>): readonly ObjectKey[] {
  const name = metadata.labels?.[instanceLabel];
  return name === undefined ? [] : [{ namespace: metadata.namespace, name }];
}
