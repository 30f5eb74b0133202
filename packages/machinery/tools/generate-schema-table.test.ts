import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readGoStructs } from "./go-structs.ts";
import { findKubernetesSource, findTypeSources } from "./kubernetes-source.ts";
import { printSchemaTable } from "./print-schema-table.ts";
import { readProtoMessages } from "./proto-messages.ts";
import { readTypeFacts } from "./type-facts.ts";

const proto = `
package k8s.io.api_x.garden.v1;

// A plant.
message Plant {
  // +optional
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  optional Roots roots = 2;

  map<string, Names> names = 3;

  repeated string xSoils = 4;
}

message Roots {
  optional int32 depth = 5;
}

message Names {
  repeated string items = 1;
}
`;

const go = `
// Plant grows.
type Plant struct {
	metav1.TypeMeta \`json:",inline"\`
	// Metadata of it.
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`
	Roots \`json:",inline" protobuf:"bytes,2,opt,name=roots"\`
	Names map[string]Names \`json:"names" protobuf:"bytes,3,opt,name=names"\`
	Soils []string \`json:"x-soils,omitempty" protobuf:"bytes,4,opt,name=xSoils"\`
	hidden int
}

type Roots struct {
	Depth int32 \`json:"depth" protobuf:"varint,5,opt,name=depth"\`
}
`;

const swagger = {
  definitions: {
    "io.k8s.api-x.garden.v1.Plant": {
      type: "object",
      required: ["depth"],
      properties: {
        apiVersion: { type: "string" },
        metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
        depth: { type: "integer", format: "int32" },
        names: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
        "x-soils": {
          type: "array",
          items: { type: "string" },
          "x-kubernetes-list-type": "set",
          "x-kubernetes-patch-strategy": "merge",
        },
      },
      "x-kubernetes-group-version-kind": [{ group: "garden.io", version: "v1", kind: "Plant" }],
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
      type: "object",
      properties: { name: { type: "string" } },
      "x-kubernetes-map-type": "atomic",
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": { type: "string", format: "date-time" },
  },
};

function facts(changes: object = {}) {
  const structs = new Map(
    [...readGoStructs(go)].map(([name, fields]) => [`io.k8s.api-x.garden.v1.${name}`, fields]),
  );
  const sources = { swagger, defaults: new Map(), messages: readProtoMessages(proto), structs };
  return readTypeFacts({ ...sources, ...changes });
}

test("a table has a line for each type, with all facts about its fields", () => {
  const defaults = new Map<string, unknown>([
    ["io.k8s.api-x.garden.v1.Plant.depth", 3],
    ["io.k8s.api-x.garden.v1.Plant.apiVersion", ""],
  ]);
  const text = printSchemaTable(facts({ defaults }));
  expect(text.split("\n").slice(6, -2)).toEqual([
    "@io.k8s.api-x.garden.v1 garden.io/v1",
    "Plant@ apiVersion:s depth:i!*#2/5=3 metadata:1.ObjectMeta*#1 names:{[s%#3w x-soils:[s^s~m#4",
    "@io.k8s.apimachinery.pkg.apis.meta.v1",
    "ObjectMeta^a name:s",
    "Time:t",
  ]);
});

test("what the generator does not know stops it", () => {
  const field = (property: object) => ({
    swagger: { definitions: { "a.b": { type: "object", properties: { c: property } } } },
  });
  expect(() => printSchemaTable(facts(field({ type: "integer", format: "int7" })))).toThrow("integer/int7");
  expect(() => printSchemaTable(facts(field({ type: "string", "x-kubernetes-list-type": "bag" })))).toThrow(
    "list type bag",
  );
  expect(() =>
    printSchemaTable(facts(field({ type: "string", "x-kubernetes-patch-strategy": "fly" }))),
  ).toThrow("patch strategy fly");
});

const source = await findKubernetesSource();
const modules = await findTypeSources();

describe("with the sources on this machine", () => {
  test("--check finds the committed file up to date", async ({ skip }) => {
    const missing = source === undefined || modules === undefined;
    skip(missing, "the Go modules of Kubernetes' types are not in this machine's module cache");
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      const script = join(import.meta.dirname, "generate-schema-table.ts");
      execFile(process.execPath, [script, "--check", "--source", source ?? ""], (error, _, text) => {
        resolve({ code: error === null ? 0 : error.code, stderr: text });
      });
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
