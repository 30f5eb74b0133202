import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadApiDefinition } from "./api-definition.ts";
import { differences, writeKinds } from "./generate-kinds.ts";
import { findKubernetesSource } from "./kubernetes-source.ts";
import { printKinds } from "./print-kinds.ts";
import { madeUpDocuments } from "./testing/made-up-documents.ts";
import { loadStructFields } from "./testing/openapi-v3.ts";
import { handWrittenTypes, inlineTypes, kindsWithoutSpec, nullableFields } from "./wire-facts.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kedge-kinds-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe("files", () => {
  const files = new Map([
    ["a/v1.ts", "one"],
    ["b/v1.ts", "two"],
  ]);

  test("are written once, and then are no different", async () => {
    expect(await writeKinds(directory, files)).toEqual(["a/v1.ts", "b/v1.ts"]);
    expect(await readFile(join(directory, "a/v1.ts"), "utf8")).toBe("one");
    expect(await differences(directory, files)).toEqual([]);
    expect(await writeKinds(directory, files)).toEqual([]);
  });

  test("that are missing, changed or left over are named, and put right by writing", async () => {
    await writeKinds(directory, new Map([...files, ["old/v1.ts", "old"]]));
    await writeFile(join(directory, "a/v1.ts"), "edited");
    await rm(join(directory, "b/v1.ts"));
    expect(await differences(directory, files)).toEqual(["a/v1.ts", "b/v1.ts", "old/v1.ts"]);
    await writeKinds(directory, files);
    expect(await differences(directory, files)).toEqual([]);
    expect(await readdir(join(directory, "old"))).toEqual([]);
  });
});

test("--check exits 1 and names what differs, without touching it", async () => {
  await writeDocument("api/openapi-spec/swagger.json", madeUpDocuments.swagger);
  await writeDocument("api/discovery/api__v1.json", madeUpDocuments.core);
  await writeDocument("api/discovery/aggregated_v2.json", madeUpDocuments.groups);
  const before = await readFile(join(import.meta.dirname, "../src/kinds/core/v1.ts"), "utf8");
  const { code, stderr } = await generator("--check", "--source", directory);
  expect(code).toBe(1);
  expect(stderr).toContain("src/kinds/core/v1.ts: differs from what the API definition gives\n");
  expect(stderr).toContain("src/kinds/garden/v1.ts: differs");
  expect(stderr).toContain("src/kinds/apps/v1.ts: differs");
  expect(await readFile(join(import.meta.dirname, "../src/kinds/core/v1.ts"), "utf8")).toBe(before);
});

const source = await findKubernetesSource();

describe("with the Kubernetes source on this machine", async () => {
  beforeEach(({ skip }) => {
    skip(source === undefined, "the Go module k8s.io/kubernetes is not in this machine's module cache");
  });
  const definition = source === undefined ? { types: [], resources: [] } : await loadApiDefinition(source);
  const typeNames = new Set(definition.types.map((type) => type.name));
  const fieldNames = new Set(
    definition.types.flatMap((type) => type.fields.map((field) => `${type.name}.${field.name}`)),
  );

  test("--check finds the committed files up to date", async () => {
    expect(await generator("--check", "--source", source ?? "")).toEqual({ code: 0, stderr: "" });
  });

  test("what we know besides the definition is about types and fields that exist", () => {
    const types = [...inlineTypes.keys(), ...handWrittenTypes.keys(), ...kindsWithoutSpec];
    expect(types.filter((name) => !typeNames.has(name))).toEqual([]);
    expect([...nullableFields].filter((name) => !fieldNames.has(name))).toEqual([]);
  });

  test("servers answer the spec of every kind", async () => {
    const specs = definition.types
      .filter((type) => type.kinds.length > 0 && type.fields.some((field) => field.name === "spec"))
      .map((type) => `${type.name}.spec`);
    const structs = await loadStructFields(source ?? "");
    expect(specs.length).toBeGreaterThan(50);
    expect(specs.filter((name) => !structs.has(name))).toEqual([]);
  });

  test("printing twice gives the same bytes", async () => {
    const again = await loadApiDefinition(source ?? "");
    expect([...printKinds(again)]).toEqual([...printKinds(definition)]);
  });
});

async function writeDocument(path: string, document: unknown): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), JSON.stringify(document));
}

async function generator(...args: readonly string[]): Promise<{ code: unknown; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(import.meta.dirname, "generate-kinds.ts"), ...args],
      (error, _, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stderr });
      },
    );
  });
}
