import type { Informers, ManagerGauge } from "@kedge/runtime";
import type { Meter } from "./meter.ts";
import { redisPhases, RedisInstance } from "./kind.ts";
import { replicationOf } from "./primary-of.ts";

/** What the operator's metrics say of its instances, read from the cache when somebody asks. */
export function redisGauges(informers: Pick<Informers, "of">, meter?: Meter): readonly ManagerGauge[] {
  const instances = informers.of(RedisInstance);
  const ofEach = (
    name: string,
    help: string,
    value: (instance: ReturnType<typeof instances.list>[number]) => number | undefined,
  ): ManagerGauge => ({
    name,
    help,
    labelNames: ["namespace", "name"],
    values: () =>
      instances.list().flatMap((instance) => {
        const number = value(instance);
        const labels = { namespace: instance.metadata.namespace, name: instance.metadata.name };
        return number === undefined ? [] : [{ labels, value: number }];
      }),
  });
  return [
    {
      name: "kedge_redis_instances",
      help: "RedisInstances, by their phase",
      labelNames: ["phase"],
      values: () => {
        const counts = new Map<string, number>(redisPhases.map((phase) => [phase, 0]));
        for (const { status } of instances.list()) {
          const phase = status?.status ?? "Unknown";
          counts.set(phase, (counts.get(phase) ?? 0) + 1);
        }
        return [...counts].map(([phase, value]) => ({ labels: { phase }, value }));
      },
    },
    ofEach("kedge_redis_pods", "Pods that a RedisInstance is to have", ({ spec }) => spec.replicas),
    ofEach("kedge_redis_ready_pods", "Pods of a RedisInstance that are ready", ({ status }) =>
      Number.parseInt(status?.readyReplicas ?? "0", 10),
    ),
    ofEach(
      "kedge_redis_primary_epoch",
      "Grows by one with each change of the primary: failovers and switchovers",
      (instance) => replicationOf(instance).epoch,
    ),
    {
      name: "kedge_redis_replica_lag_bytes",
      help: "How far a replica is behind its primary; less than 1 MiB is 0",
      labelNames: ["namespace", "name", "pod"],
      values: () =>
        instances
          .list()
          .flatMap(({ metadata: { namespace, name }, status }) =>
            (status?.servers ?? []).flatMap(({ pod, lagBytes }) =>
              lagBytes === undefined ? [] : [{ labels: { namespace, name, pod }, value: lagBytes }],
            ),
          ),
    },
    ...(meter?.gauges() ?? []),
  ];
}
