import { Event } from "@kedge/machinery/kinds/core/v1";
import type { PolicyRule } from "@kedge/machinery/kinds/rbac/v1";
import { may, type Right } from "../controller/rights.ts";
import type { Controller } from "../controller/types.ts";

/**
 * The rules of a role with which controllers can do their work, and nothing else: what follows from their kinds, what
 * their operators' `rights` add, and events. Resources with the same verbs share a rule; all is sorted, so that a
 * generated file changes only where rights do.
 */
export function rulesOf(
  controllers: readonly Controller[],
  rights: readonly Right[] = [],
): readonly PolicyRule[] {
  const all = controllers.flatMap((controller) => controller.rights);
  const verbs = verbsByResource([...all, ...rights, may(["create", "patch"], Event)]);
  const rules = Map.groupBy(verbs, ([name, each]) => JSON.stringify([groupOf(name), each]));
  return Array.from(rules.values(), (entries) => {
    const [[first, each] = ["", []]] = entries;
    return {
      apiGroups: [groupOf(first)],
      resources: entries.map(([name]) => name.slice(groupOf(name).length + 1)).toSorted(),
      verbs: [...each],
    };
  }).toSorted((one, other) => compare(textOf(one), textOf(other)));
}

/** The sorted verbs for each `group/resource`. */
function verbsByResource(rights: readonly Right[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { group, resource, verbs } of rights) {
    const name = `${group}/${resource}`;
    found.set(name, new Set([...(found.get(name) ?? []), ...verbs]));
  }
  return new Map(Array.from(found, ([name, verbs]) => [name, [...verbs].toSorted()]));
}

function groupOf(name: string): string {
  return name.slice(0, name.indexOf("/"));
}

function textOf({ apiGroups, resources }: PolicyRule): string {
  return `${String(apiGroups)} ${String(resources)}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
