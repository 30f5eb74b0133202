import { inBackground, statusOf } from "@kedge/machinery";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import type { ApiObject, Objects, Resource } from "../../registry/types.ts";

/** Says which of them the server keeps itself, and since when: `onstart` for what every cluster has. */
const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

/** Keeps an APIService for each group version that is served: those of CRDs come and go. The result ends it. */
export async function registerApiServices(
  objects: Objects,
  onFailure: (error: unknown) => void,
): Promise<() => void> {
  let isRunning = false;
  let isStale = false;
  const follow = async (): Promise<void> => {
    isRunning = true;
    try {
      while (isStale) {
        isStale = false;
        await register(objects);
      }
    } finally {
      isRunning = false;
    }
  };
  await register(objects);
  return objects.registry.onChange(() => {
    isStale = true;
    if (!isRunning) inBackground(follow(), onFailure);
  });
}

async function register(objects: Objects): Promise<void> {
  const services = objects.registry.byKind(APIService.group, APIService.kind);
  if (services === undefined) return;
  const wanted = new Map(
    objects.registry.all().flatMap((resource) => {
      // It does not list itself.
      if (resource.group === APIService.group) return [];
      const service = serviceOf(resource);
      return [[service.metadata.name ?? "", service] as const];
    }),
  );
  const missing = Array.from(wanted).filter(([name]) => objects.get(services, { name }) === undefined);
  // All at once: a store that syncs its files does it once for them.
  await Promise.all(
    missing.map(async ([, service]) => {
      await objects.create(services, service).catch(unless("AlreadyExists"));
    }),
  );
  for (const { metadata } of objects.list(services)) {
    const { name = "", labels, uid } = metadata;
    if (labels?.[managedLabel] !== "true" || wanted.has(name)) continue;
    await objects.delete(services, { name }, uid === undefined ? {} : { uid }).catch(unless("NotFound"));
  }
}

/** Lets pass what another server was faster with. */
function unless(reason: string): (error: unknown) => void {
  return (error) => {
    if (statusOf(error).reason !== reason) throw error;
  };
}

function serviceOf({ group, version, custom }: Resource): ApiObject {
  const [groupPriorityMinimum, versionPriority] =
    custom === undefined ? (priorities.get(`${group}/${version}`) ?? others) : customs;
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: APIService.kind,
    metadata: {
      name: `${version}.${group}`,
      labels: { [managedLabel]: custom === undefined ? "onstart" : "true" },
    },
    spec: { ...(group !== "" && { group }), version, groupPriorityMinimum, versionPriority },
  };
}

type Priorities = readonly [group: number, version: number];

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
