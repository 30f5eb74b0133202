import { describe, expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty"];

describe.each(inherited)("%s, which every JavaScript object has,", (name) => {
  it.each([
    ["is no group", "POST", `/apis/${name}/v1/foos`, 403],
    ["is no version", "POST", `/apis/apps/${name}/foos`, 403],
    ["is no resource", "POST", `/apis/authorization.k8s.io/v1/${name}`, 403],
    ["is no path", "GET", `/${name}`, 403],
  ])("%s that just anybody may use", async (_what, method, path, expected) => {
    await using server = await startServer();
    const { handle } = server.api.doorFor({ name: "jane", groups: ["system:authenticated"] });
    const { status } = await handle({ method, path, headers: {} });
    expect(status).toBe(expected);
  });

  it.each([
    ["is no group", `/apis/${name}/v1/foos`],
    ["is no resource", `/api/v1/namespaces/default/${name}`],
    ["is no subresource", `/api/v1/namespaces/default/pods/a/${name}`],
    ["names no object", `/api/v1/namespaces/default/configmaps/${name}`],
    ["names no namespace", `/api/v1/namespaces/${name}`],
  ])("%s that is served", async (_what, path) => {
    await using server = await startServer();
    const { handle } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
    const { status } = await handle({ method: "GET", path, headers: {} });
    expect(status).toBe(404);
  });

  it("is no media type", async () => {
    await using server = await startServer();
    const more = { headers: { accept: name } };
    const { status } = await server.ask("GET", "/api/v1/namespaces", undefined, more);
    expect(status).toBe(406);
  });

  it("is a key of config maps and secrets like any other", async () => {
    await using server = await startServer();
    const text = `{"metadata":{"name":"a"},"data":{"${name}":"x"}}`;
    const { status, body } = await server.ask("POST", "/api/v1/namespaces/default/configmaps", text);
    expect({ status, data: JSON.stringify(body["data"]) }).toEqual({ status: 201, data: `{"${name}":"x"}` });
    const secret = `{"metadata":{"name":"a"},"stringData":{"${name}":"x"}}`;
    const created = await server.ask("POST", "/api/v1/namespaces/default/secrets", secret);
    expect(JSON.stringify(created.body["data"])).toBe(`{"${name}":"eA=="}`);
  });
});
