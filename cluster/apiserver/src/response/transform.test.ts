import { expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const accepting = (as: string, version = "v1") => ({
  headers: { accept: `application/json;as=${as};v=${version};g=meta.k8s.io` },
});

it("shows metadata alone, of an object and of a list", async () => {
  await using server = await startServer();
  await server.ask("POST", maps, {
    metadata: { name: "a", labels: { x: "1" } },
    data: { key: "of no concern" },
  });
  const { body: one } = await server.ask("GET", `${maps}/a`, undefined, accepting("PartialObjectMetadata"));
  expect(Object.keys(one)).toEqual(["kind", "apiVersion", "metadata"]);
  expect(one).toMatchObject({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: { name: "a", labels: { x: "1" } },
  });
  const list = await server.ask("GET", maps, undefined, accepting("PartialObjectMetadataList", "v1beta1"));
  expect(list.body).toMatchObject({
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1beta1",
    items: [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: { name: "a" } }],
  });
  expect(JSON.stringify(list.body)).not.toContain("of no concern");
});

it.each([
  ["PartialObjectMetadataList", `${maps}/a`, "the requested object is not a list (*core.ConfigMap)"],
  ["PartialObjectMetadata", maps, "the requested object is a list (*core.ConfigMapList)"],
  [
    "PartialObjectMetadata",
    crds,
    "the requested object is a list (*apiextensions.CustomResourceDefinitionList)",
  ],
])("refuses %s of %s", async (as, path, why) => {
  await using server = await startServer();
  await server.ask("POST", maps, { metadata: { name: "a" } });
  const { status, body } = await server.ask("GET", path, undefined, accepting(as));
  expect([status, body.message]).toEqual([406, `you requested ${as}, but ${why}`]);
});

it("shows a table of one row for an object", async () => {
  await using server = await startServer();
  await server.ask("POST", maps, { metadata: { name: "a" }, data: { x: "1", y: "2" } });
  const { body } = await server.ask("GET", `${maps}/a?includeObject=None`, undefined, accepting("Table"));
  expect(body).toMatchObject({
    kind: "Table",
    metadata: { resourceVersion: expect.stringMatching(/^\d+$/u) as string },
    rows: [{ cells: ["a", 2, expect.anything() as string], object: null }],
  });
});
