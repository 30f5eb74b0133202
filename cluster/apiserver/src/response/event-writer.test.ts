import { expired } from "@kedge/machinery";
import { builtinTable } from "@kedge/machinery/schema-table";
import { describe, expect, it } from "vitest";
import { testResources } from "../kinds/testing/write-context.ts";
import type { ApiObject } from "../registry/types.ts";
import { resourceRequest } from "../request/testing/resource-request.ts";
import { encodeForStore, ObjectVersion, unversioned } from "../storage/object-version.ts";
import { decodeProtobuf } from "../protobuf/index.ts";
import { eventWriter } from "./event-writer.ts";

const maps = testResources()("ConfigMap");
const object: ApiObject = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { x: "1" } };
const value = encodeForStore(unversioned(object), {});
const view = new ObjectVersion({ key: "/registry/configmaps/a", value, revision: 7, lease: 0 }).as(maps);

function written(accept: string, write: (writer: ReturnType<typeof eventWriter>) => Uint8Array): unknown {
  const text = Buffer.from(write(eventWriter(resourceRequest(maps, { accept })))).toString();
  expect(text).toMatch(/^[^\n]+\n$/u);
  return JSON.parse(text);
}

it("is a frame of protobuf for who accepts that first, and encoded once for all", () => {
  const accept = "application/vnd.kubernetes.protobuf;stream=watch, application/json";
  const frames = [1, 2].map(() => eventWriter(resourceRequest(maps, { accept })).object("ADDED", view));
  expect(frames[0]).toBe(frames[1]);
  const bytes = Buffer.from(frames[0] ?? []);
  expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
  // The type, and the object as it would be sent by itself.
  expect(bytes.subarray(4, 11).toString("latin1")).toBe("\n\x05ADDED");
  const start = bytes.indexOf("k8s\0");
  expect(decodeProtobuf(bytes.subarray(start), builtinTable()).object).toEqual({
    ...object,
    metadata: { name: "a", resourceVersion: "7" },
  });
});

describe("a line of a watch", () => {
  it("is an object with its version", () => {
    expect(written("", (writer) => writer.object("ADDED", view))).toEqual({
      type: "ADDED",
      object: { ...object, metadata: { name: "a", resourceVersion: "7" } },
    });
  });

  it("is metadata alone, for who wants no more", () => {
    const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    expect(written(accept, (writer) => writer.object("MODIFIED", view))).toEqual({
      type: "MODIFIED",
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "a", resourceVersion: "7" },
      },
    });
  });

  it("is a table, whose columns come once", () => {
    const writer = eventWriter(
      resourceRequest(maps, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    );
    const lines = [1, 2].map(
      () =>
        JSON.parse(Buffer.from(writer.object("ADDED", view)).toString()) as {
          object: { columnDefinitions: unknown };
        },
    );
    expect(lines[0]?.object.columnDefinitions).toHaveLength(3);
    expect(lines[1]?.object.columnDefinitions).toBeNull();
  });

  it.each([
    [false, {}],
    [true, { annotations: { "k8s.io/initial-events-end": "true" } }],
  ])("is a bookmark of the kind with nothing but a version; after all that was there: %s", (isEnd, more) => {
    expect(written("", (writer) => writer.bookmark(9, isEnd))).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "9", ...more } },
    });
  });

  it("is an error as a Status, whatever was asked for", () => {
    const { status } = expired("too old");
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    expect(written(accept, (writer) => writer.error(status))).toEqual({ type: "ERROR", object: status });
  });
});
