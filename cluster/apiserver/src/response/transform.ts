import { isJsonObject, statusFailure, type JsonObject, type StatusError } from "@kedge/machinery";
import type { StoredApiObject } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { Transform } from "../request/negotiate.ts";
import { parseIncludeObject, renderTable, tableEvents } from "../tables/index.ts";

/** Turns the objects of a watch into what the client wants to see; undefined when that is the objects themselves. */
export function eventTransform(request: ResourceRequest): ((object: StoredApiObject) => unknown) | undefined {
  const { form, clock, resource } = request;
  const { as } = form;
  if (as === undefined) return undefined;
  if (as.kind !== "Table") return (object) => partialMetadata(object, as.version);
  const includeObject = parseIncludeObject(request.query.get("includeObject"));
  const show = tableEvents(resource, { includeObject, version: as.version });
  return (object) => show(object, clock.now());
}

/** What a client wants to see of one object. */
export function transformObject(request: ResourceRequest, object: StoredApiObject, as: Transform): unknown {
  const { clock, resource } = request;
  switch (as.kind) {
    case "Table": {
      const includeObject = parseIncludeObject(request.query.get("includeObject"));
      const { resourceVersion } = object.metadata;
      const listMeta = resourceVersion === undefined ? {} : { resourceVersion };
      return renderTable(resource, [object], listMeta, {
        includeObject,
        now: clock.now(),
        version: as.version,
      });
    }
    case "PartialObjectMetadata":
      return partialMetadata(object, as.version);
    case "PartialObjectMetadataList":
      throw notAcceptableFor(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(request, resource.kind)})`,
      );
  }
}

/** What a client wants to see of a list: without items, whose field is the last, and how each of them is shown. */
export function listTransform(
  request: ResourceRequest,
  { as, metadata }: { readonly as: Transform; readonly metadata: JsonObject },
): { readonly shell: object; readonly item: (object: StoredApiObject) => unknown } {
  const { clock, resource } = request;
  switch (as.kind) {
    case "Table": {
      const includeObject = parseIncludeObject(request.query.get("includeObject"));
      const options = { includeObject, now: clock.now(), version: as.version };
      return {
        shell: renderTable(resource, [], metadata, options),
        item: (object) => renderTable(resource, [object], metadata, options).rows[0],
      };
    }
    case "PartialObjectMetadataList": {
      const { version } = as;
      return {
        shell: { kind: as.kind, apiVersion: `meta.k8s.io/${version}`, metadata, items: [] },
        item: (object) => partialMetadata(object, version),
      };
    }
    case "PartialObjectMetadata":
      throw notAcceptableFor(
        `you requested PartialObjectMetadata, but the requested object is a list (${goType(request, resource.listKind)})`,
      );
  }
}

function goType({ resource }: ResourceRequest, kind: string): string {
  if (resource.custom !== undefined)
    return kind === resource.kind ? "*unstructured.Unstructured" : "*unstructured.UnstructuredList";
  return `*${resource.group === "" ? "core" : (resource.group.split(".")[0] ?? "")}.${kind}`;
}

function notAcceptableFor(message: string): StatusError {
  return statusFailure({ message, reason: "NotAcceptable", code: 406 });
}

/** Only the metadata of an object. */
function partialMetadata(object: Readonly<JsonObject>, version: string): JsonObject {
  const { metadata } = object;
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: isJsonObject(metadata) ? metadata : {},
  };
}
