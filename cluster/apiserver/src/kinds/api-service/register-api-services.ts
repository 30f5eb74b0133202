import { deepEqual, inBackground, statusOf } from "@kedge/machinery";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { prioritiesOf } from "../../registry/priorities.ts";
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
        await register(objects, "change");
      }
    } finally {
      isRunning = false;
    }
  };
  // What admission refuses (a webhook that does not run yet, a policy) must not keep the server from starting.
  await register(objects, "start").catch(onFailure);
  return objects.registry.onChange(() => {
    isStale = true;
    if (!isRunning) inBackground(follow(), onFailure);
  });
}

async function register(objects: Objects, when: "start" | "change"): Promise<void> {
  const services = objects.registry.byKind(APIService.group, APIService.kind);
  if (services === undefined) return;
  // It does not list itself.
  const served = objects.registry.all().filter(({ group }) => group !== APIService.group);
  const versions = Map.groupBy(served, ({ group, version }) => `${version}.${group}`);
  const wanted = new Map([...versions].map(([name, resources]) => [name, serviceOf(name, resources)]));
  const missing = Array.from(wanted).filter(([name]) => objects.get(services, { name }) === undefined);
  // All at once: a store that syncs its files does it once for them.
  await Promise.all(
    missing.map(async ([, service]) => {
      await objects.create(services, service).catch(unless("AlreadyExists"));
    }),
  );
  const defined = definedVersions(objects);
  for (const { metadata, spec } of objects.list(services)) {
    const { name = "", labels, uid } = metadata;
    const managed = labels?.[managedLabel];
    const service = wanted.get(name);
    // Those of custom groups are always what they should be, others when the server starts; without the label, never.
    const isOurs = managed === "true" || (managed === "onstart" && when === "start");
    if (service !== undefined && isOurs && !deepEqual(spec, service["spec"]))
      await objects.update(services, { name }, takeOver(service)).catch(unless("NotFound"));
    if (managed !== "true" || service !== undefined || defined.has(name)) continue;
    await objects.delete(services, { name }, uid === undefined ? {} : { uid }).catch(unless("NotFound"));
  }
}

/** Group versions that definitions say are served: a server that starts will serve them soon. */
function definedVersions(objects: Objects): ReadonlySet<string> {
  const definitions = objects.registry.byKind(CustomResourceDefinition.group, CustomResourceDefinition.kind);
  const names = (definitions === undefined ? [] : objects.list(definitions)).flatMap((object) => {
    const { metadata, spec } = decodedAs(CustomResourceDefinition, object);
    if (metadata?.deletionTimestamp !== undefined) return [];
    const served = (spec?.versions ?? []).filter((version) => version.served === true);
    return served.map(({ name = "" }) => `${name}.${spec?.group ?? ""}`);
  });
  return new Set(names);
}

function takeOver(service: ApiObject): (current: ApiObject) => boolean {
  return (current) => {
    current["spec"] = service["spec"];
    return true;
  };
}

/** Lets pass what another server was faster with. */
function unless(reason: string): (error: unknown) => void {
  return (error) => {
    if (statusOf(error).reason !== reason) throw error;
  };
}

function serviceOf(name: string, resources: readonly Resource[]): ApiObject {
  const [{ group, version, custom } = { group: "", version: "", custom: undefined }] = resources;
  const [groupPriorityMinimum, versionPriority] = prioritiesOf({ group, version, custom });
  // What other clusters get from an extension (metrics) may be taken over by one.
  const isExtension = resources.every(({ computed }) => computed !== undefined);
  const managed = custom === undefined ? "onstart" : "true";
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: APIService.kind,
    metadata: { name, ...(!isExtension && { labels: { [managedLabel]: managed } }) },
    spec: { ...(group !== "" && { group }), version, groupPriorityMinimum, versionPriority },
  };
}
