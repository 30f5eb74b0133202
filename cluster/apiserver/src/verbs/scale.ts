import {
  badRequest,
  clone,
  fieldInvalid,
  getOwn,
  internalError,
  invalid,
  isJsonObject,
  setOwn,
  unsupportedMediaType,
  type JsonObject,
  type StatusError,
} from "@kedge/machinery";
import { tableSchemas } from "@kedge/machinery/schema-table";
import type { BodyReaders } from "../decode/parse-body.ts";
import type { ApiObject, Resource, ScaleSubresource, StoredApiObject } from "../registry/types.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { admissionOf } from "../write/write-admission.ts";
import { updateObject } from "../write/update-object.ts";
import { get } from "./get.ts";
import { patchType } from "./patch.ts";
import { patcherOf } from "./patchers.ts";
import { decodeBody } from "./decode-body.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

type ScaleCore = WriteCore & BodyReaders;

/** GET …/scale: how many there are to be, and are. */
export async function getScale(
  core: Pick<WriteCore, "storage">,
  request: ResourceRequest,
  scale: ScaleSubresource,
): Promise<ApiObject> {
  const { object } = (await get(core, request)).as(request.resource);
  if (request.resource.custom !== undefined && numberAt(object, scale.specReplicasPath) === undefined) {
    throw internalError(new Error(`the spec replicas field "${scale.specReplicasPath}" does not exist`));
  }
  return scaleOf(object, scale);
}

/** PUT …/scale: as many as the body says. */
export async function updateScale(
  core: ScaleCore,
  request: ResourceRequest,
  scale: ScaleSubresource,
): Promise<ApiObject> {
  const { fieldValidation } = writeOptions(request.query, "UpdateOptions");
  const body = await decodeBody(core, request, { expected: scaleKind, fieldValidation });
  const { name = "" } = body.metadata;
  if (name === "") throw badRequest("name must be provided");
  if (name !== request.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
  return await writeScale(core, request, { scale, wanted: () => body });
}

/** PATCH …/scale. */
export async function patchScale(
  core: ScaleCore,
  request: ResourceRequest,
  scale: ScaleSubresource,
): Promise<ApiObject> {
  const { fieldValidation } = writeOptions(request.query, "PatchOptions");
  const { warn } = request;
  const type = patchType(request);
  // Who owns replicas would have to be translated between the two kinds.
  if (type === "application/apply-patch+yaml") throw unsupportedMediaType(["application/merge-patch+json"]);
  const patcher = patcherOf(type, { ...request, resource: asScale(core, request) });
  const options = { table: core.table, yaml: core.yaml, expected: scaleKind, fieldValidation, warn };
  return await writeScale(core, request, {
    scale,
    wanted: (current) => patcher(scaleOf(current, scale), options),
  });
}

/** A resource of the kind Scale, for patching by its schema. */
function asScale({ table }: ScaleCore, { resource }: ResourceRequest): Resource {
  const schema = tableSchemas(table)("io.k8s.api.autoscaling.v1.Scale");
  return schema === undefined ? resource : { ...resource, schema, custom: undefined };
}

interface Scaling {
  readonly scale: ScaleSubresource;
  /** The Scale that is to be, of what is stored. */
  readonly wanted: (current: StoredApiObject) => ApiObject | Promise<ApiObject>;
}

async function writeScale(
  core: ScaleCore,
  request: ResourceRequest,
  { scale, wanted }: Scaling,
): Promise<ApiObject> {
  const options = writeOptions(request.query, "UpdateOptions");
  const { fieldManager } = options;
  const scope = scopeOf(core, request, options);
  const admission = admissionOf(scope, "UPDATE", scaleKind);
  const write = {
    manager: managerOf(fieldManager, header(request, "user-agent")),
    subresource: request.subresource,
  };
  const { namespace, name } = request;
  const change = async (current: StoredApiObject): Promise<ApiObject> => {
    const wish = clone(await wanted(current));
    await admission.admit(wish, scaleOf(current, scale));
    const { metadata, spec } = wish;
    const replicas = isJsonObject(spec) ? (getOwn(spec, "replicas") ?? 0) : 0;
    if (typeof replicas !== "number" || replicas < 0) throw negative(request, scale, replicas);
    const object = clone(current);
    setAt(object, scale.specReplicasPath, replicas);
    const { resourceVersion, uid } = metadata;
    object.metadata = {
      ...object.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(uid !== undefined && { uid }),
    };
    const tracked = withoutScaleTimes(await trackWrite(scope, current, object, write));
    return replicas === 0 ? withoutManager(tracked, write.manager) : tracked;
  };
  const object = await updateObject(scope, {
    key: { namespace, name },
    change,
    admission: {
      // Asked above, of the Scale.
      admit: () => Promise.resolve(),
      validate: (now, before) =>
        admission.validate(now && scaleOf(now, scale), before && scaleOf(before, scale)),
    },
  });
  return scaleOf(object, scale);
}

/** A Scale to nothing has no replicas in Kubernetes' type, so nobody has set them. */
function withoutManager(object: ApiObject, manager: string): ApiObject {
  const managedFields = object.metadata.managedFields?.filter(
    (entry) => entry.subresource !== "scale" || entry.manager !== manager,
  );
  return { ...object, metadata: { ...object.metadata, ...(managedFields && { managedFields }) } };
}

/** Kubernetes does not say when a scale was written. */
function withoutScaleTimes(object: ApiObject): ApiObject {
  const entries = object.metadata.managedFields?.map(({ time, ...entry }) =>
    entry.subresource === "scale" || time === undefined ? entry : { ...entry, time },
  );
  return entries === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, managedFields: entries } };
}

function negative(
  { resource, name }: ResourceRequest,
  scale: ScaleSubresource,
  replicas: unknown,
): StatusError {
  if (resource.custom === undefined) {
    const why = "must be greater than or equal to 0";
    return invalid(scaleKind, name, [fieldInvalid("spec.replicas", replicas, why)]);
  }
  return invalid(resource, name, [
    fieldInvalid(scale.specReplicasPath, replicas, "should be a non-negative integer"),
  ]);
}

function scaleOf(object: StoredApiObject, scale: ScaleSubresource): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = scale.selector(object);
  const spec = numberAt(object, scale.specReplicasPath);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: spec === undefined || spec === 0 ? {} : { replicas: spec },
    status: {
      replicas: numberAt(object, scale.statusReplicasPath) ?? 0,
      ...(selector !== undefined && selector !== "" && { selector }),
    },
  };
}

function partsOf(path: string): string[] {
  return path.split(".").filter((part) => part !== "");
}

function numberAt(object: Readonly<JsonObject>, path: string): number | undefined {
  let value: unknown = object;
  for (const part of partsOf(path)) value = isJsonObject(value) ? getOwn(value, part) : undefined;
  return typeof value === "number" ? value : undefined;
}

function setAt(object: JsonObject, path: string, value: unknown): void {
  const parts = partsOf(path);
  const last = parts.pop() ?? "";
  let place = object;
  for (const part of parts) {
    const next = getOwn(place, part);
    const child = isJsonObject(next) ? next : {};
    if (child !== next) setOwn(place, part, child);
    place = child;
  }
  setOwn(place, last, value);
}
