import { once } from "node:events";
import { realRandom, type Clock, type ObjectKey, type Random } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Event, PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import {
  byLabel,
  defineController,
  defineOperator,
  owns,
  watches,
  type Enqueue,
  type Operator,
  type Source,
} from "@kedge/runtime";
import { createEngine } from "./engine/engine.ts";
import type { Engine } from "./engine/types.ts";
import { ownedExtras } from "./extras.ts";
import { RedisInstance } from "./kind.ts";
import { Meter } from "./meter.ts";
import { appLabel, instanceLabel } from "./names.ts";
import { Pulse } from "./pulse/pulse.ts";
import { reconcileInstance, type Servers } from "./reconcile.ts";
import { rights } from "./rights.ts";
import { watchedSecrets } from "./secrets.ts";

/** What the operator may be told. */
export interface RedisOperatorOptions {
  /**
   * Where passwords come from. Default: the machine's own randomness, because the `Random` of a manager may be seeded,
   * and a seeded one is never for secrets. Simulations give a seeded one.
   */
  readonly secretRandom?: Random;
  /** How servers are reached. Default: over TCP, by the addresses of their pods. */
  readonly engine?: (clock: Clock) => Engine;
  /** What counts for `redisGauges`. */
  readonly meter?: Meter;
}

/** The Redis operator. */
export function redisOperator({
  secretRandom = realRandom,
  engine = (clock) => createEngine({ clock }),
  meter = new Meter(),
}: RedisOperatorOptions = {}): Operator {
  return defineOperator({
    name: "redis",
    kinds: [RedisInstance],
    rights,
    controllers: () => {
      const { servers, source } = serversOn(engine);
      return [
        defineController({
          name: "redis-operator",
          for: RedisInstance,
          owns: [owns(ConfigMap, ours), owns(StatefulSet, ours), owns(Service, ours), ...ownedExtras],
          // Only what carries our label is kept in memory: these kinds have many others.
          watches: [
            ...watchedSecrets,
            watches(Pod, byLabel(instanceLabel), { labelSelector: appLabel }),
            watches(PersistentVolumeClaim, byLabel(instanceLabel), { labelSelector: appLabel }),
            // Whether volumes may grow: a class that comes to allow it concerns whoever waits for that.
            watches(StorageClass, (_class, _previous, { informers }) =>
              informers
                .of(RedisInstance)
                .list()
                .map(({ metadata }) => metadata),
            ),
            // A StatefulSet has the name of its instance, and no condition that would say why it has no pods.
            watches(
              Event,
              ({ metadata, involvedObject }) => namedLike(metadata.namespace, involvedObject.name),
              {
                fieldSelector: "involvedObject.kind=StatefulSet,reason=FailedCreate",
              },
            ),
          ],
          sources: [source],
          reconcile: reconcileInstance({ secretRandom, servers, meter }),
        }),
      ];
    },
  });
}

/** The engine and the pulse of one manager, made when its clock is first seen. */
function serversOn(engine: (clock: Clock) => Engine): {
  readonly servers: (clock: Clock) => Servers;
  readonly source: Source;
} {
  let made: Servers | undefined;
  let tell: Enqueue | undefined;
  const make = (clock: Clock): Servers => {
    const reach = engine(clock);
    const pulse = new Pulse(reach, clock);
    if (tell !== undefined) pulse.start(tell);
    return { engine: reach, pulse };
  };
  return {
    servers: (clock) => (made ??= make(clock)),
    async source(enqueue, signal) {
      tell = enqueue;
      made?.pulse.start(enqueue);
      if (!signal.aborted) await once(signal, "abort");
      made?.pulse.stop();
    },
  };
}

/** What carries our label, as all children of all versions do. */
const ours = { labelSelector: instanceLabel };

function namedLike(namespace: string, name: string | undefined): readonly ObjectKey[] {
  return name === undefined ? [] : [{ namespace, name }];
}
