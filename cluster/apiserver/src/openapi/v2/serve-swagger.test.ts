import { VirtualClock, type ApiHeaders, type ApiResponse } from "@kedge/machinery";
import { builtinTable } from "@kedge/machinery/schema-table";
import { expect, test } from "vitest";
import { lenientDecoder, testRegistry, testResource } from "../../discovery/testing/test-resource.ts";
import { createOpenApi } from "../openapi.ts";

const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

function serverOf(registry = testRegistry()) {
  const openApi = createOpenApi({ registry, table: builtinTable(), clock: new VirtualClock() });
  return async (headers: ApiHeaders = {}): Promise<ApiResponse> => {
    const response = await openApi({ method: "GET", path: "/openapi/v2", headers });
    if (response === undefined) throw new Error("it was not answered");
    return response;
  };
}

async function bytesOf({ body }: ApiResponse): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

async function documentOf(response: ApiResponse): Promise<Swagger> {
  return JSON.parse((await bytesOf(response)).toString()) as Swagger;
}

interface Swagger {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly definitions: Readonly<Record<string, object>>;
}

test("is one document of all groups, in the words of v2", async () => {
  const { paths, definitions } = await documentOf(await serverOf()());
  expect(definitions["io.k8s.api.core.v1.Container"]).toMatchObject({
    properties: {
      ports: {
        type: "array",
        items: { $ref: "#/definitions/io.k8s.api.core.v1.ContainerPort" },
        "x-kubernetes-patch-merge-key": "containerPort",
        "x-kubernetes-patch-strategy": "merge",
      },
    },
  });
  expect(definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toEqual({
    type: "string",
    format: "int-or-string",
  });
  expect(paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.["patch"]).toMatchObject({
    consumes: expect.arrayContaining(["application/strategic-merge-patch+json"]) as unknown,
    parameters: expect.arrayContaining([
      {
        name: "body",
        in: "body",
        required: true,
        schema: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch" },
      },
      expect.objectContaining({ name: "fieldValidation", in: "query", type: "string" }),
    ]) as unknown,
    responses: { 200: { schema: { $ref: "#/definitions/io.k8s.api.apps.v1.Deployment" } } },
  });
  const text = JSON.stringify({ paths, definitions });
  for (const word of ["oneOf", "allOf", "nullable", "#/components", "requestBody"])
    expect(text).not.toContain(`"${word}`);
});

test("names nothing that refuses what a custom kind may hold", async () => {
  const registry = testRegistry();
  const openapi = {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        properties: {
          port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
          maybe: { type: "string", nullable: true },
          free: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            properties: { a: { type: "string" } },
          },
          size: { type: "integer", minimum: 1, default: 3 },
        },
      },
    },
  };
  const facts = { group: "example.com", version: "v1", kind: "Other", plural: "others" };
  registry.replace([], [testResource({ ...facts, custom: lenientDecoder, openapi })]);
  const { definitions } = await documentOf(await serverOf(registry)());
  expect(definitions["com.example.v1.Other"]).toMatchObject({
    properties: {
      spec: {
        type: "object",
        properties: {
          port: { "x-kubernetes-int-or-string": true },
          maybe: {},
          free: { "x-kubernetes-preserve-unknown-fields": true },
          size: { type: "integer", minimum: 1 },
        },
      },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Other", version: "v1" }],
  });
  expect(JSON.stringify(definitions["com.example.v1.Other"])).not.toMatch(/default|nullable|anyOf|"a"/u);
});

test("is told in protobuf to those who ask for that, and not again to those who have it", async () => {
  const get = serverOf();
  const answer = await get({ accept: protobuf });
  expect(answer.headers["content-type"]).toBe(protobuf.replace("@", "."));
  const bytes = await bytesOf(answer);
  // swagger: "2.0", then info with its title.
  expect(bytes.subarray(0, 5).toString("latin1")).toBe("\n\x032.0");
  expect(bytes.includes("io.k8s.api.core.v1.PodSpec")).toBe(true);
  const etag = String(answer.headers["etag"]);
  expect((await get({ accept: protobuf, "if-none-match": etag })).status).toBe(304);
  expect((await get({ accept: "text/html" })).status).toBe(406);
});
