import { seededRandom, VirtualClock, type ObjectKey, type ObjectMeta } from "@kedge/machinery";
import type {
  ApiObject,
  Objects,
  Registry,
  Resource,
  StoredApiObject,
  WriteContext,
} from "../../registry/types.ts";
import { builtinPlugins } from "../../admission/builtin-plugins.ts";
import { AdmissionChain } from "../../admission/chain.ts";
import { Reinvocation } from "../../admission/reinvocation.ts";
import type { AdmissionRequest } from "../../admission/types.ts";
import { builtinResources } from "../builtin-resources.ts";

/** All built-in resources, by kind. */
export function testResources(): (kind: string) => Resource {
  const resources = builtinResources({ serviceRange: "10.96.0.0/24" });
  return (kind) => {
    const found = resources.find((resource) => resource.kind === kind);
    if (found === undefined) throw new Error(`no resource of the kind ${kind}`);
    return found;
  };
}

const namespaces = ["default", "ns"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
}));

/** A context for hooks, over objects in the namespaces `default` and `ns` that were never validated. `warn` does nothing. */
export function testContext(
  stored: readonly StoredApiObject[] = [],
  resourceFor: (kind: string) => Resource = testResources(),
): WriteContext & { readonly clock: VirtualClock } {
  const registry: Pick<Registry, "byKind"> = {
    byKind: (_group, kind) => {
      try {
        return resourceFor(kind);
      } catch {
        return undefined;
      }
    },
  };
  const of = (resource: Resource): readonly StoredApiObject[] =>
    resource.kind === "Namespace" ? namespaces : stored.filter(({ kind }) => kind === resource.kind);
  const objects: Pick<Objects, "get" | "list"> & { registry: typeof registry } = {
    registry,
    get: (resource, { namespace, name }: ObjectKey) =>
      of(resource).find(
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === (namespace ?? ""),
      ),
    list: (resource, namespace) =>
      of(resource).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
  };
  return {
    user: { name: "tester", groups: [] },
    clock: new VirtualClock(),
    random: seededRandom(1),
    objects: objects as Objects,
    dryRun: false,
    warn: () => undefined,
  };
}

/** What a new object is like when it has gone through admission and the kind's hooks, as the create verb calls them. */
export async function created(
  resource: Resource,
  body: { readonly metadata: ObjectMeta; readonly [field: string]: unknown },
  context: WriteContext,
): Promise<ApiObject> {
  const apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
  const object: ApiObject = structuredClone({
    apiVersion,
    kind: resource.kind,
    ...body,
    metadata: body.metadata,
  });
  const { strategy } = resource;
  const { name = "", namespace = "" } = object.metadata;
  const request: AdmissionRequest = {
    operation: "CREATE",
    resource,
    subresource: "",
    kind: resource,
    namespace,
    name,
    user: context.user,
    dryRun: false,
    options: {},
    object,
    oldObject: undefined,
  };
  strategy.default?.(object);
  const admission = new AdmissionChain(builtinPlugins);
  const admissionContext = {
    ...context,
    deadline: context.clock.monotonic() + 30_000,
    reinvocation: new Reinvocation(),
  };
  await admission.admit(request, admissionContext);
  strategy.prepareForCreate?.(object, context);
  strategy.allocate?.(object, undefined, context);
  strategy.default?.(object);
  await admission.validate(request, admissionContext);
  return object;
}
