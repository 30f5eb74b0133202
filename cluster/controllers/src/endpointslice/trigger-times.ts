import type { DeepReadonly, StoredMeta } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * When what a slice tells of came to be: for a service that is seen for the first time its creation, later the oldest of
 * the changes since the last look. Those who read slices measure with it how far behind they are.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** The time of the change; undefined when no pod became ready, or unready, since the last call. */
  next(
    { metadata }: { readonly metadata: DeepReadonly<StoredMeta> },
    pods: readonly DeepReadonly<Pod>[],
  ): string | undefined {
    const key = keyOf(metadata);
    const before = this.#seen.get(key);
    const times = new Map(pods.flatMap((pod) => readySince(pod) ?? []));
    this.#seen.set(key, { service: metadata.creationTimestamp, pods: times });
    if (before === undefined) return metadata.creationTimestamp;
    const changed = [...times]
      .filter(([name, time]) => time > (before.pods.get(name) ?? ""))
      .map(([, time]) => time);
    if (metadata.creationTimestamp > before.service) changed.push(metadata.creationTimestamp);
    return changed.toSorted()[0];
  }

  /** The service is gone: another of its name is a new one. */
  forget(service: { readonly namespace?: string | undefined; readonly name: string }): void {
    this.#seen.delete(keyOf(service));
  }
}

function keyOf({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return `${namespace ?? ""}/${name}`;
}

/** Times of seconds, as text, are in the order of time. */
function readySince(pod: DeepReadonly<Pod>): readonly (readonly [string, string])[] | undefined {
  const since = pod.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return since === undefined ? undefined : [[pod.metadata.name, since]];
}
