import { notFound, StatusError, type ApiResponse } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { testResources } from "../kinds/testing/write-context.ts";
import type { ApiObject } from "../registry/types.ts";
import { resourceRequest } from "../request/testing/resource-request.ts";
import { encodeForStore, ObjectVersion, unversioned } from "../storage/object-version.ts";
import { objectResponse, versionResponse } from "./object-response.ts";

const maps = testResources()("ConfigMap");
const object: ApiObject = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "ns", resourceVersion: "7" as never },
  data: { x: "1", text: "two\nlines" },
};

async function textOf({ body }: ApiResponse): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

const as = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;

describe("an answer with an object", () => {
  it.each([
    ["JSON", {}, "application/json", `${JSON.stringify(object)}\n`],
    ["JSON for readers", { pretty: true }, "application/json", JSON.stringify(object, null, 2)],
  ])("is %s", async (_name, form, type, text) => {
    const response = await objectResponse(resourceRequest(maps, form), 201, object);
    expect(response).toMatchObject({
      status: 201,
      headers: { "content-type": type, "content-length": String(Buffer.byteLength(text)) },
    });
    expect(await textOf(response)).toBe(text);
  });

  it("is YAML", async () => {
    const response = await objectResponse(resourceRequest(maps, { accept: "application/yaml" }), 200, object);
    expect(response.headers["content-type"]).toBe("application/yaml");
    expect(parse(await textOf(response))).toEqual(object);
  });

  it("is its metadata alone", async () => {
    const request = resourceRequest(maps, { accept: as("PartialObjectMetadata") });
    expect(JSON.parse(await textOf(await objectResponse(request, 200, object)))).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    });
  });

  it("is a table of one row", async () => {
    const request = resourceRequest(maps, { accept: as("Table") });
    expect(JSON.parse(await textOf(await objectResponse(request, 200, object)))).toMatchObject({
      kind: "Table",
      metadata: { resourceVersion: "7" },
      rows: [{ cells: ["a", 2, "<unknown>"] }],
    });
  });

  it("is a Status as it is, whatever was asked for", async () => {
    const { status } = notFound(maps, "a");
    const request = resourceRequest(maps, { accept: as("Table") });
    expect(JSON.parse(await textOf(await objectResponse(request, 404, status)))).toEqual(status);
  });

  it("is no list", async () => {
    const request = resourceRequest(maps, { accept: as("PartialObjectMetadataList") });
    const refused: unknown = await objectResponse(request, 200, object).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StatusError);
    expect(refused).toMatchObject({
      status: {
        code: 406,
        message:
          "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
      },
    });
  });
});

describe("an answer with a stored version", () => {
  const stored = {
    key: "/registry/configmaps/ns/a",
    value: encodeForStore(unversioned(object), {}),
    revision: 7,
    lease: 0,
  };

  it.each([
    ["JSON", {}],
    ["JSON for readers", { pretty: true }],
    ["YAML", { accept: "application/yaml" }],
    ["metadata", { accept: as("PartialObjectMetadata") }],
  ])("is byte for byte that with its object: %s", async (_name, form) => {
    const request = resourceRequest(maps, form);
    const response = await versionResponse(request, new ObjectVersion(stored));
    const whole = await objectResponse(request, 200, object);
    expect(await textOf(response)).toBe(await textOf(whole));
    expect(response.headers).toEqual(whole.headers);
  });
});
