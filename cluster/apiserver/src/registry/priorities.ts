import type { Resource } from "./types.ts";

/** Where a group is among all, and a version among those of its group: higher ones come first. */
export type Priorities = readonly [group: number, version: number];

/** Those of a group version of this server. */
export function prioritiesOf({
  group,
  version,
  custom,
}: Pick<Resource, "group" | "version" | "custom">): Priorities {
  return custom === undefined ? (priorities.get(`${group}/${version}`) ?? others) : customs;
}

const customs: Priorities = [1000, 100];
const others: Priorities = [100, 100];

/** As kube-apiserver ranks its own. */
const priorities: ReadonlyMap<string, Priorities> = new Map([
  ["/v1", [18_000, 1]],
  ["apps/v1", [17_800, 15]],
  ["events.k8s.io/v1", [17_750, 15]],
  ["authentication.k8s.io/v1", [17_700, 15]],
  ["authorization.k8s.io/v1", [17_600, 15]],
  ["autoscaling/v1", [17_500, 15]],
  ["autoscaling/v2", [17_500, 30]],
  ["batch/v1", [17_400, 15]],
  ["certificates.k8s.io/v1", [17_300, 15]],
  ["networking.k8s.io/v1", [17_200, 15]],
  ["policy/v1", [17_100, 15]],
  ["rbac.authorization.k8s.io/v1", [17_000, 15]],
  ["storage.k8s.io/v1", [16_800, 15]],
  ["admissionregistration.k8s.io/v1", [16_700, 15]],
  ["apiextensions.k8s.io/v1", [16_700, 15]],
  ["scheduling.k8s.io/v1", [16_600, 15]],
  ["coordination.k8s.io/v1", [16_500, 15]],
  ["node.k8s.io/v1", [16_300, 15]],
  ["discovery.k8s.io/v1", [16_200, 15]],
  ["resource.k8s.io/v1", [16_200, 21]],
  ["flowcontrol.apiserver.k8s.io/v1", [16_100, 21]],
]);
