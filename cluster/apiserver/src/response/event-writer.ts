import { apiVersionOf, isJsonObject, resourceVersion, type Status } from "@kedge/machinery";
import { encodeProtobuf, watchFrame } from "../protobuf/index.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { EventType, ObjectView } from "../storage/object-version.ts";
import type { ApiObject } from "../registry/types.ts";
import { eventTransform } from "./transform.ts";

/** Writes the events of one watch in the form that its client accepts. */
export function eventWriter(request: ResourceRequest): {
  object(type: EventType, view: ObjectView): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
  error(status: Status): Uint8Array;
} {
  const transform = eventTransform(request);
  const shown = (object: ApiObject): unknown => (transform === undefined ? object : transform(object));
  const encoding = request.form.encoding === "protobuf" ? "protobuf" : "json";
  const write = encoding === "protobuf" ? frame : line;
  return {
    object: (type, view) =>
      transform === undefined ? view.event(type, encoding) : write(type, transform(view.object)),
    bookmark: (revision, initialEventsEnd) =>
      write("BOOKMARK", shown(bookmarkOf(request, revision, initialEventsEnd))),
    error: (status) => write("ERROR", status),
  };
}

function frame(type: string, object: unknown): Uint8Array {
  return watchFrame(type, [encodeProtobuf(object) ?? new Uint8Array()]);
}

function line(type: string, object: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ type, object })}\n`);
}

/** An object that nothing is said of but how far the watch has come. */
function bookmarkOf({ resource }: ResourceRequest, revision: number, initialEventsEnd: boolean): ApiObject {
  const annotations = initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  return {
    ...(isJsonObject(resource.emptyObject) ? resource.emptyObject : {}),
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { resourceVersion: resourceVersion(String(revision)), ...annotations },
  };
}
