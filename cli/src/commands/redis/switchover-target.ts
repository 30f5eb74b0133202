import type { DeepReadonly } from "@kedge/machinery";
import { replicationOf, switchoverAnnotation, type RedisInstance } from "@kedge/redis-operator";

/** What to ask for: a pod, or `any`; or why that cannot be. `to` is a number or a name. */
export function switchoverTarget(
  instance: DeepReadonly<RedisInstance>,
  to: string | undefined,
): string | Error {
  const { name } = instance.metadata;
  const { replicas, suspend } = instance.spec;
  const { primary } = replicationOf(instance);
  if (replicas < 2) return new Error(`${name} has one server: there is nobody to switch over to.`);
  if (suspend === true) return new Error(`${name} is left alone: spec.suspend is true.`);
  if (to === undefined) return "any";
  const pod = /^\d+$/u.test(to) ? `${name}-${to}` : to;
  if (pod === primary) return new Error(`${pod} is the primary already.`);
  const pods = Array.from({ length: replicas }, (_, ordinal) => `${name}-${ordinal}`);
  return pods.includes(pod)
    ? pod
    : new Error(`${pod} is no pod of ${name}: they are ${name}-0 to ${name}-${replicas - 1}.`);
}

/** Whether a switchover was begun, which takes the annotation away, and is over, and the primary is who it was. */
export function isGivenUp(newest: DeepReadonly<RedisInstance>, before: DeepReadonly<RedisInstance>): boolean {
  const [now, then] = [newest.status?.replication, before.status?.replication];
  return (
    newest.metadata.annotations?.[switchoverAnnotation] === undefined &&
    now !== undefined &&
    now.target === undefined &&
    now.epoch > (then?.epoch ?? 0) &&
    now.primary === then?.primary
  );
}
