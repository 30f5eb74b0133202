/** What the API definition does not say, or says otherwise than servers answer. Every entry has its reason. */

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/** Types whose values are not objects, or objects of unknown shape, and what they are on the wire. */
export const inlineTypes: ReadonlyMap<string, string> = new Map([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", "string"],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", "number | string"],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", "Record<string, unknown>"],
  [`${meta}FieldsV1`, "object"],
  [`${meta}Patch`, "object"],
  [`${apiextensions}JSON`, "unknown"],
  [`${apiextensions}JSONSchemaPropsOrArray`, "JSONSchemaProps | JSONSchemaProps[]"],
  [`${apiextensions}JSONSchemaPropsOrBool`, "JSONSchemaProps | boolean"],
  [`${apiextensions}JSONSchemaPropsOrStringArray`, "JSONSchemaProps | string[]"],
]);

/** Types that machinery writes by hand, by the file in `src` that exports them under the same name. */
export const handWrittenTypes: ReadonlyMap<string, string> = new Map([
  [`${meta}ListMeta`, "objects/metadata.ts"],
  [`${meta}ManagedFieldsEntry`, "objects/metadata.ts"],
  [`${meta}MicroTime`, "objects/metadata.ts"],
  [`${meta}ObjectMeta`, "objects/metadata.ts"],
  [`${meta}OwnerReference`, "objects/metadata.ts"],
  [`${meta}Time`, "objects/metadata.ts"],
  [`${meta}Status`, "errors/status.ts"],
  [`${meta}StatusCause`, "errors/status.ts"],
  [`${meta}StatusDetails`, "errors/status.ts"],
]);

/**
 * Every kind's `spec` is a plain struct in the server (`default: {}` in OpenAPI v3), so that it answers at least `{}`
 * where the definition allows to leave `spec` out. We promise it to readers, except for these: nobody writes their
 * `spec`, and what is promised to readers is asked of writers.
 */
export const kindsWithoutSpec: ReadonlySet<string> = new Set([
  "io.k8s.api.apiserverinternal.v1alpha1.StorageVersion",
  "io.k8s.api.core.v1.Namespace",
]);

/**
 * Fields that servers answer as `null`: times that are unset but cannot be left out by Go's encoder, and lists that
 * are written even when there is none. Only those that are met in ordinary objects.
 */
export const nullableFields: ReadonlySet<string> = new Set([
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus.currentMetrics",
  "io.k8s.api.core.v1.ContainerStateTerminated.finishedAt",
  "io.k8s.api.core.v1.ContainerStateTerminated.startedAt",
  "io.k8s.api.core.v1.Event.eventTime",
  "io.k8s.api.core.v1.Event.firstTimestamp",
  "io.k8s.api.core.v1.Event.lastTimestamp",
  "io.k8s.api.core.v1.PersistentVolumeClaimCondition.lastProbeTime",
  "io.k8s.api.core.v1.PodCondition.lastProbeTime",
  "io.k8s.api.discovery.v1.EndpointSlice.endpoints",
  "io.k8s.api.discovery.v1.EndpointSlice.ports",
  "io.k8s.api.events.v1.Event.deprecatedFirstTimestamp",
  "io.k8s.api.events.v1.Event.deprecatedLastTimestamp",
  "io.k8s.api.events.v1.Event.eventTime",
  "io.k8s.api.rbac.v1.ClusterRole.rules",
  "io.k8s.api.rbac.v1.Role.rules",
]);
