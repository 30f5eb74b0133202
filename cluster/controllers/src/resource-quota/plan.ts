import type { DeepReadonly } from "@kedge/machinery";
import type { ResourceQuota, ResourceQuotaStatus } from "@kedge/machinery/kinds/core/v1";
import {
  addAmounts,
  countedResource,
  evaluatorOf,
  isCounted,
  maskAmounts,
  parseAmounts,
  particularResources,
  sameAmounts,
  writeAmounts,
  type Amounts,
} from "@kedge/machinery/quota";
import { quantityOf } from "@kedge/machinery";

/** A resource that a quota counts objects of. */
export interface CountedResource {
  readonly group: string;
  readonly plural: string;
}

/** The resources whose objects decide what is used of a quota. */
export function resourcesOf(quota: DeepReadonly<ResourceQuota>): readonly CountedResource[] {
  const names = Object.keys(quota.spec?.hard ?? {});
  const found = new Map<string, CountedResource>();
  const candidates = [...particularResources, ...names.flatMap((name) => countedResource(name) ?? [])];
  for (const resource of candidates) {
    const isNamed = (evaluatorOf(resource)?.matching(names) ?? []).length > 0;
    if (isNamed) found.set(`${resource.plural}.${resource.group}`, resource);
  }
  return [...found.values()];
}

/** What is used now. */
export interface Observed {
  /** The objects of a resource in the quota's namespace; undefined while they are not known. */
  readonly objectsOf: (resource: CountedResource) => readonly object[] | undefined;
  readonly now: number;
}

/** The status that a quota is to have; undefined when it has it. What cannot be counted now stays as it was. */
export function quotaStatus(
  quota: DeepReadonly<ResourceQuota>,
  { objectsOf, now }: Observed,
): ResourceQuotaStatus | undefined {
  const hard = parseAmounts(quota.spec?.hard);
  const before = parseAmounts(quota.status?.used);
  let fresh: Amounts = new Map();
  for (const resource of resourcesOf(quota)) {
    const evaluator = evaluatorOf(resource);
    const objects = objectsOf(resource);
    if (evaluator === undefined || objects === undefined) continue;
    const names = evaluator.matching([...hard.keys()]);
    let sum: Amounts = new Map(names.map((name) => [name, quantityOf(0)]));
    for (const object of objects) {
      if (isCounted(evaluator, quota, object))
        sum = addAmounts(sum, maskAmounts(evaluator.usage(object, now), names));
    }
    fresh = addAmounts(fresh, sum);
  }
  const used = maskAmounts(new Map([...before, ...fresh]), hard.keys());
  const isSame =
    quota.status?.hard !== undefined &&
    quota.status.used !== undefined &&
    sameAmounts(hard, parseAmounts(quota.status.hard)) &&
    sameAmounts(used, before);
  return isSame ? undefined : { hard: writeAmounts(hard), used: writeAmounts(used) };
}
