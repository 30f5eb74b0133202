import type { DeepReadonly } from "@kedge/machinery";
import type { RedisInstance } from "@kedge/redis-operator";
import type { ReadServer } from "./read-server.ts";
import type { AskedPod } from "./asked-pod.ts";

/** What somebody who knows Redis would say about an instance, most urgent first, each with what to do. */
export function adviceOf(
  { spec, metadata }: DeepReadonly<RedisInstance>,
  asked: readonly AskedPod[],
): readonly string[] {
  const servers = asked.flatMap(({ pod, server }) =>
    server instanceof Error ? [] : [{ pod: pod.metadata.name, ...server }],
  );
  const primary = servers.find(({ facts }) => facts.role === "primary");
  return [
    ...servers.flatMap(({ pod, facts }) => memoryAdvice(pod, facts)),
    ...(primary === undefined ? [] : primaryAdvice(primary, spec.replicas)),
    ...placementAdvice(asked),
    ...(spec.replicas === 2
      ? [
          `There are two replicas: nobody can fail over safely with one of them gone. kubectl scale -n ${metadata.namespace} redisinstance ${metadata.name} --replicas=3`,
        ]
      : []),
  ];
}

function memoryAdvice(pod: string, { memory, info }: ReadServer["facts"]): readonly string[] {
  const share = memory.max > 0 ? memory.used / memory.max : 0;
  const policy = info.get("maxmemory_policy") ?? "noeviction";
  const evicted = Number(info.get("evicted_keys") ?? 0);
  const full = policy === "noeviction" ? "writes are refused" : "keys are evicted";
  return [
    ...(share >= 0.9
      ? [
          `${pod} uses ${Math.round(share * 100)} % of its maxmemory; at 100 % ${full}: raise spec.resources.limits.memory.`,
        ]
      : []),
    ...(evicted > 0
      ? [
          `${pod} has evicted ${evicted} keys (${policy}): if they were not meant to go, raise spec.resources.limits.memory.`,
        ]
      : []),
  ];
}

function primaryAdvice(
  { pod, facts, slowCommands, save }: ReadServer & { readonly pod: string },
  replicas: number,
): readonly string[] {
  const { info, persistence } = facts;
  const backlog = Number(info.get("repl_backlog_size") ?? 0);
  const perSecond = Number(info.get("instantaneous_output_repl_kbps") ?? 0) * 1024;
  const seconds = perSecond > 0 ? backlog / perSecond : Infinity;
  return [
    ...(persistence.lastSnapshotOk
      ? []
      : [`${pod} could not write its last snapshot: look at its log and the room on its volume.`]),
    ...(persistence.lastAppendOk
      ? []
      : [`${pod} could not write its append-only file: look at the room on its volume.`]),
    ...(!persistence.appendOnly && save === ""
      ? [
          `${pod} writes nothing to its volume: what is in memory is lost when all pods end. Set spec.config.appendonly to "yes".`,
        ]
      : []),
    ...(replicas > 1 && seconds < 30
      ? [
          `The replication backlog lasts ${Math.round(seconds)} s at the present rate: a replica that is away for longer gets all data again. Raise spec.config["repl-backlog-size"].`,
        ]
      : []),
    ...(slowCommands > 0
      ? [
          `${pod} has ${slowCommands} slow commands in its log; while one runs nobody else is served: slowlog get.`,
        ]
      : []),
  ];
}

function placementAdvice(asked: readonly AskedPod[]): readonly string[] {
  const nodes = new Map<string, string[]>();
  for (const { pod } of asked) {
    const node = pod.spec?.nodeName;
    if (node !== undefined) nodes.set(node, [...(nodes.get(node) ?? []), pod.metadata.name]);
  }
  const [node, pods] = [...nodes].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  return node !== undefined && pods !== undefined && pods.length > 1
    ? [
        `${pods.join(" and ")} are on one node, ${node}: they are lost together. Add nodes, or see spec.placement.`,
      ]
    : [];
}
