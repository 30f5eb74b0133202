import { describe, expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";
import { checkValues, mostValues } from "./most-values.ts";

describe("how many values an object may have", () => {
  const list = (length: number): number[] => Array.from({ length }, () => 1);

  it("counts fields, items and keys", () => {
    expect(() => checkValues({ spec: list(mostValues - 1) })).not.toThrow();
    expect(() => checkValues({ spec: list(mostValues) })).toThrow("more than 40000 values");
    expect(() => checkValues({ metadata: { labels: list(mostValues) } })).toThrow("more than 40000 values");
  });

  it("counts managedFields apart", () => {
    const managed = (length: number) => ({
      spec: list(mostValues - 3),
      metadata: { managedFields: list(length) },
    });
    expect(() => checkValues(managed(2 * mostValues))).not.toThrow();
    expect(() => checkValues(managed(2 * mostValues + 1))).toThrow("managedFields has more than 80000");
  });
});

describe("an object of too many values", () => {
  const maps = "/api/v1/namespaces/default/configmaps";
  const data = (count: number, prefix: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "v"]));

  it("is refused, sent whole or grown by patches", async () => {
    await using server = await startServer();
    const refused = await server.ask("POST", maps, { metadata: { name: "a" }, data: data(50_000, "k") });
    expect(refused).toMatchObject({ status: 413, body: { reason: "RequestEntityTooLarge" } });
    const half = await server.ask("POST", maps, { metadata: { name: "a" }, data: data(25_000, "k") });
    expect(half.status).toBe(201);
    const more = { data: data(25_000, "m") };
    for (const type of ["merge-patch+json", "strategic-merge-patch+json"]) {
      const headers = { "content-type": `application/${type}` };
      const grown = await server.ask("PATCH", `${maps}/a`, more, { headers });
      expect(grown.status).toBe(413);
    }
    const headers = { "content-type": "application/apply-patch+yaml" };
    const applied = { apiVersion: "v1", kind: "ConfigMap", ...more };
    const grown = await server.ask("PATCH", `${maps}/a?fieldManager=m`, applied, { headers });
    expect(grown.status).toBe(413);
  });

  it("is not made by copies of copies in a JSON patch either", async () => {
    await using server = await startServer();
    await server.ask("POST", maps, { metadata: { name: "a" }, data: { a: "b" } });
    const copies = Array.from({ length: 40 }, () => ({ op: "copy", from: "/data", path: "/data/x" }));
    const headers = { "content-type": "application/json-patch+json" };
    const { status } = await server.ask("PATCH", `${maps}/a`, copies, { headers });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });
});
