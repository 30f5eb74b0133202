import {
  apiVersionOf,
  badRequest,
  clone,
  deepEqual,
  fieldInvalid,
  formatTime,
  getOwn,
  internalError,
  invalid,
  isJsonObject,
  setOwn,
  statusFailure,
  type JsonObject,
  type StatusError,
} from "@kedge/machinery";
import { serverSideApplyInSteps, trackUpdateInSteps, type FieldManagerOptions } from "@kedge/machinery/apply";
import { tableSchemas } from "@kedge/machinery/schema-table";
import type { BodyReaders } from "../decode/parse-body.ts";
import type { ApiObject, Resource, ScaleSubresource, StoredApiObject } from "../registry/types.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { inSteps } from "../request/pause.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { flag } from "../request/target.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { admissionOf } from "../write/write-admission.ts";
import { updateObject } from "../write/update-object.ts";
import { readApplied } from "./apply.ts";
import { checkNames } from "./check-names.ts";
import { get } from "./get.ts";
import { patchType } from "./patch.ts";
import { patcherOf } from "./patchers.ts";
import { decodeBody } from "./decode-body.ts";
import {
  managedFieldsOf,
  managersOfParent,
  managersOfScale,
  replicasPaths,
  scaleKind,
} from "./scale-managers.ts";

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
  if (type === "application/apply-patch+yaml") return await applyScale(core, request, scale);
  const patcher = patcherOf(type, { ...request, resource: asScale(core, request) });
  const options = { table: core.table, yaml: core.yaml, expected: scaleKind, fieldValidation, warn };
  return await writeScale(core, request, {
    scale,
    wanted: (live) => patcher(live, options),
  });
}

/** PATCH …/scale of the type apply. */
async function applyScale(
  core: ScaleCore,
  request: ResourceRequest,
  scale: ScaleSubresource,
): Promise<ApiObject> {
  const options = writeOptions(request.query, "PatchOptions", true);
  const applied = await readApplied(core, request, options);
  const force = flag(request.query, "force");
  const time = formatTime(core.clock.now());
  return await writeScale(core, request, {
    scale,
    wanted: async (live) => {
      const steps = serverSideApplyInSteps(
        { live, applied, manager: options.fieldManager, force, time },
        managerOptions(core, request),
      );
      const wish = await inSteps(steps, request.pause);
      // Kubernetes can take what was said before, but not convert what is new.
      if (request.resource.custom !== undefined && !deepEqual(wish["spec"], live["spec"]))
        throw cannotConvert(request);
      return wish;
    },
    isTracked: true,
  });
}

/** 500: Kubernetes' own answer to whoever applies other replicas to a custom object. */
function cannotConvert({ name }: ResourceRequest): StatusError {
  const message = `failed to convert new object (/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`;
  return statusFailure({ message, code: 500 });
}

/** A resource of the kind Scale, for patching by its schema. */
function asScale(core: ScaleCore, { resource }: ResourceRequest): Resource {
  return { ...resource, schema: scaleSchema(core, resource), custom: undefined };
}

function scaleSchema({ table }: ScaleCore, { schema }: Resource): Resource["schema"] {
  return tableSchemas(table)("io.k8s.api.autoscaling.v1.Scale") ?? schema;
}

function managerOptions(core: ScaleCore, { resource, subresource }: ResourceRequest): FieldManagerOptions {
  const schema = scaleSchema(core, resource);
  return { apiVersion: apiVersionOf(scaleKind), kind: scaleKind.kind, schema, subresource };
}

interface Scaling {
  readonly scale: ScaleSubresource;
  /** The Scale that is to be, of the one that is. */
  readonly wanted: (live: StoredApiObject) => Readonly<JsonObject> | Promise<Readonly<JsonObject>>;
  /** Whether what is wanted has its managedFields already. */
  readonly isTracked?: boolean;
}

async function writeScale(
  core: ScaleCore,
  request: ResourceRequest,
  { scale, wanted, isTracked = false }: Scaling,
): Promise<ApiObject> {
  const options = writeOptions(request.query, "UpdateOptions");
  const scope = scopeOf(core, request, options);
  const admission = admissionOf(scope, "UPDATE", scaleKind);
  const manager = managerOf(options.fieldManager, header(request, "user-agent"));
  const { namespace, name, resource } = request;
  const parent = { apiVersion: apiVersionOf(resource), paths: replicasPaths(core.registry, resource) };
  const change = async (current: StoredApiObject): Promise<ApiObject> => {
    const before = scaleOf(current, scale);
    const { managedFields } = current.metadata;
    const owners = managersOfScale(managedFields, parent.paths);
    const live = { ...before, metadata: { ...before.metadata, ...(owners && { managedFields: owners }) } };
    const updated = isTracked ? await wanted(live) : withoutZero(await wanted(live));
    const time = formatTime(core.clock.now());
    const steps = trackUpdateInSteps({ live, updated, manager, time }, managerOptions(core, request));
    const tracked = isTracked ? updated : await inSteps(steps, request.pause);
    const wish = scaleIn(updated);
    checkNames(request, wish);
    await admission.admit(wish, before);
    const { metadata, spec } = wish;
    const replicas = isJsonObject(spec) ? (getOwn(spec, "replicas") ?? 0) : 0;
    if (typeof replicas !== "number" || replicas < 0) throw negative(request, scale, replicas);
    const object = clone(current);
    setAt(object, scale.specReplicasPath, replicas);
    const { resourceVersion, uid } = metadata;
    const managers = managersOfParent(managedFields, managedFieldsOf(tracked), parent);
    object.metadata = {
      ...object.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(uid !== undefined && { uid }),
    };
    if (managers === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = managers;
    return object;
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
function withoutZero(scale: Readonly<JsonObject>): Readonly<JsonObject> {
  const { spec } = scale;
  if (!isJsonObject(spec) || spec["replicas"] !== 0) return scale;
  const { replicas: _, ...rest } = spec;
  return { ...scale, spec: rest };
}

/** A Scale as admission sees it. */
function scaleIn(object: Readonly<JsonObject>): ApiObject {
  const { metadata, ...rest } = clone(object);
  const { managedFields: _, ...shown } = isJsonObject(metadata) ? metadata : {};
  return { ...rest, apiVersion: apiVersionOf(scaleKind), kind: scaleKind.kind, metadata: shown };
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
