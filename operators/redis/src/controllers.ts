import { realRandom, type Random } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { byLabel, defineController, watches, type Controller } from "@kedge/runtime";
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
  // The label that all of an instance's children and pods carry.
  const instanceOf = byLabel(instanceLabel);
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
      reconcile: reconcileInstance({ secretRandom }),
    }),
  ];
}
