import { apiVersionOf, clone, formatTime, isJsonObject, type JsonObject } from "@kedge/machinery";
import {
  emptySet,
  fieldElement,
  serverSideApplyInSteps,
  setOf,
  trackUpdateInSteps,
  type FieldManagerOptions,
  type FieldSet,
} from "@kedge/machinery/apply";
import { checkManagedValues } from "../decode/most-values.ts";
import type { ApiObject, Resource, StoredApiObject } from "../registry/types.ts";
import { inSteps } from "../request/pause.ts";
import type { WriteScope } from "./scope.ts";

/** Who writes, for managedFields. */
export interface ManagedWrite {
  readonly manager: string;
  /** `""`, `status`, `scale`, … */
  readonly subresource: string;
}

/** The object that an update leaves, with managedFields that say who changed what. */
export async function trackWrite(
  scope: WriteScope,
  live: StoredApiObject | undefined,
  updated: ApiObject,
  write: ManagedWrite,
): Promise<ApiObject> {
  const options = managerOptions(scope, write.subresource);
  const steps = trackUpdateInSteps(
    { live: live ?? options.emptyObject ?? {}, updated, manager: write.manager, time: now(scope) },
    options,
  );
  const tracked = await inSteps(steps, scope.pause);
  return withTypeMeta(tracked, scope.resource);
}

/** The object that an apply leaves. */
export async function applyWrite(
  scope: WriteScope,
  live: StoredApiObject | undefined,
  applied: Readonly<JsonObject>,
  write: ManagedWrite & { readonly force: boolean },
): Promise<ApiObject> {
  const options = managerOptions(scope, write.subresource);
  const steps = serverSideApplyInSteps(
    {
      live: live ?? options.emptyObject ?? {},
      applied,
      manager: write.manager,
      time: now(scope),
      force: write.force,
    },
    options,
  );
  const result = await inSteps(steps, scope.pause);
  await scope.pause();
  const copy = clone(result);
  await scope.pause();
  return withTypeMeta(copy, scope.resource);
}

function now({ core }: WriteScope): string {
  return formatTime(core.clock.now());
}

function managerOptions({ core, resource }: WriteScope, subresource: string): FieldManagerOptions {
  const apiVersion = apiVersionOf(resource);
  return {
    apiVersion,
    kind: resource.kind,
    schema: resource.schema,
    subresource,
    resetFields: resetFields(resource, subresource),
    emptyObject: isJsonObject(resource.emptyObject)
      ? resource.emptyObject
      : { apiVersion, kind: resource.kind },
    isServed: (version) =>
      core.registry.byKind(resource.group, resource.kind, version.split("/").at(-1)) !== undefined,
  };
}

/** Writers of an object cannot change its status, writers of the status nothing else. */
function resetFields({ subresources, custom }: Resource, subresource: string): FieldSet {
  if (subresource === "status") {
    if (custom !== undefined) return setOf([field("spec"), field("metadata")]);
    const part = subresources.get("status");
    const kept = part?.type === "part" ? (part.keepsMetadata ?? []) : [];
    return setOf([field("spec"), ...kept.map((name) => field("metadata", name))]);
  }
  if (subresource === "" && subresources.has("status")) return setOf([field("status")]);
  return emptySet;
}

function field(...names: readonly string[]): ReturnType<typeof fieldElement>[] {
  return names.map((name) => fieldElement(name));
}

function withTypeMeta(object: Readonly<JsonObject>, resource: Resource): ApiObject {
  const { metadata } = object;
  if (isJsonObject(metadata)) checkManagedValues(metadata["managedFields"]);
  return {
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: isJsonObject(metadata) ? metadata : {},
  };
}
