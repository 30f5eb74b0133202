import { describe, expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map = `${maps}/a`;
const merge = { headers: { "content-type": "application/merge-patch+json" } };

describe("the answer to a write", () => {
  it("is what a GET answers", async () => {
    await using server = await startServer();
    const created = await server.ask("POST", maps, { data: { k: "ü" }, metadata: { name: "a" } });
    expect(created.status).toBe(201);
    expect(JSON.stringify((await server.ask("GET", map)).body)).toBe(JSON.stringify(created.body));
    const patched = await server.ask("PATCH", map, { data: { k: "2" } }, merge);
    expect(patched.body).toMatchObject({ data: { k: "2" } });
    expect(JSON.stringify((await server.ask("GET", map)).body)).toBe(JSON.stringify(patched.body));
  });

  it("shows what was only tried, not what is there", async () => {
    await using server = await startServer();
    await server.ask("POST", maps, { metadata: { name: "a" }, data: { k: "1" } });
    const tried = await server.ask("PATCH", `${map}?dryRun=All`, { data: { k: "2" } }, merge);
    expect(tried.body).toMatchObject({ data: { k: "2" } });
    expect((await server.ask("GET", map)).body).toMatchObject({ data: { k: "1" } });
  });
});
