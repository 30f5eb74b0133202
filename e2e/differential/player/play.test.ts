import { describe, expect, it } from "vitest";
import { theatre } from "../testing/theatre.ts";
import { valueAt } from "../script/json-pointer.ts";

const configMaps = "/api/v1/namespaces/${ns}/configmaps";

describe("requests", () => {
  it("run in a namespace of their own, and keep every answer", async () => {
    const { play, server } = theatre();
    const { own, steps, stopped } = await play(`
steps:
  - request: POST ${configMaps}
    body: { metadata: { name: a } }
  - request: GET ${configMaps}/b`);
    expect(stopped).toBeUndefined();
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/v1/namespaces",
      `POST /api/v1/namespaces/${own.ns}/configmaps`,
      `GET /api/v1/namespaces/${own.ns}/configmaps/b`,
    ]);
    expect(steps).toMatchObject([
      { status: 201, body: { value: { metadata: { name: "a" } } } },
      { status: 404, body: { value: { reason: "NotFound" } } },
    ]);
  });

  it("fill in what earlier steps have saved, in path, query, headers and body", async () => {
    const { play, server } = theatre();
    const { steps } = await play(`
let: { long: { repeat: ab, times: 3 } }
steps:
  - request: POST ${configMaps}
    body: { metadata: { name: a } }
    save: { uid: /metadata/uid, type: "header:content-type" }
  - request: PUT ${configMaps}/a
    query: { text: "\${uid} & \${long}" }
    headers: { If-Match: "\${type}" }
    body: { data: { "\${long}": "\${uid}" } }`);
    const uid = valueAt(steps[0], "/body/value/metadata/uid");
    const { path, headers, body } = server.requests[2] ?? {};
    expect(path).toMatch(new RegExp(String.raw`/a\?text=${String(uid)}%20%26%20ababab$`));
    expect(headers).toMatchObject({ "if-match": "application/json", "content-type": "application/json" });
    expect(JSON.parse(String(body))).toEqual({ data: { ababab: uid } });
  });

  it("stop the script where there is nothing to save", async () => {
    const { stopped, steps } = await theatre().play(`
steps:
  - request: GET ${configMaps}
    save: { next: /metadata/continue }
  - request: GET ${configMaps}`);
    expect(stopped).toBe("step 1: there is nothing at /metadata/continue to save as next");
    expect(steps).toHaveLength(1);
  });

  it("are made once for each value of for", async () => {
    const { steps } = await theatre().play(`
steps:
  - request: POST ${configMaps}
    for: [a, b, c]
    body: { metadata: { name: "\${it}" } }`);
    expect(steps.map((step) => valueAt(step, "/body/value/metadata/name"))).toEqual(["a", "b", "c"]);
  });

  it("go out as another user, or as nobody", async () => {
    const { play, server } = theatre();
    const { steps } = await play(`
steps:
  - request: GET ${configMaps}
    as: { user: jane, groups: [dev, ops], extra: { "example.com/Team": [a] } }
  - request: GET ${configMaps}
    as: anonymous`);
    expect(server.requests[1]?.headers).toMatchObject({
      "impersonate-user": "jane",
      "impersonate-group": ["dev", "ops"],
      "impersonate-extra-example.com%2fteam": ["a"],
    });
    expect(steps).toMatchObject([{ status: 200 }, { status: 401 }]);
  });
});

describe("until", () => {
  const script = `
let: { word: here }
steps:
  - request: GET /api/v1/namespaces/shared/configmaps/late
    until: { status: 200, body: { data: { list: [{ is: "\${word}" }] } } }`;

  it("asks again until the answer is so, and keeps only that one", async () => {
    const { play, clock, server } = theatre();
    const path = "/api/v1/namespaces/shared/configmaps";
    const late = { metadata: { name: "late" }, data: { list: [{ is: "not" }] } };
    const here = { data: { list: [{ is: "not" }, { is: "here", with: "more" }], also: "this" } };
    const write = (method: string, at: string, body: object): void =>
      void server.send({ method, path: at, headers: {}, body: JSON.stringify(body) });
    clock.timer(300, () => write("POST", path, late));
    clock.timer(600, () => write("PUT", `${path}/late`, here));
    const { steps, stopped } = await play(script);
    expect(stopped).toBeUndefined();
    expect(steps).toMatchObject([{ status: 200, body: { value: here } }]);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(600);
    expect(server.requests.length).toBeGreaterThan(10);
  });

  it("gives up, and keeps what it saw last", async () => {
    const { steps, stopped } = await theatre().play(script);
    expect(stopped).toMatch(/^step 1: not so after 120 s: \{"status":200/u);
    expect(steps).toMatchObject([{ status: 404 }]);
  });
});

describe("cleanup", () => {
  it.each([
    { how: "the script came to its end", save: "uid: /metadata/uid", stops: false },
    { how: "it stopped", save: "none: /metadata/none", stops: true },
  ])("is done when $how, and is no part of what is recorded", async ({ save, stops }) => {
    const { play, server } = theatre();
    const { own, steps, stopped } = await play(`
steps:
  - request: POST /api/v1/nodes
    body: { metadata: { name: "\${id}" } }
    save: { ${save} }
cleanup:
  - DELETE /api/v1/nodes/missing
  - DELETE /api/v1/nodes/\${id}`);
    expect(stopped !== undefined).toBe(stops);
    expect(steps).toHaveLength(1);
    expect(server.requests.at(-1)).toMatchObject({ method: "DELETE", path: `/api/v1/nodes/${own.id}` });
  });
});

it("does not begin where the namespace cannot be made", async () => {
  const refuse = { status: 403, headers: {}, body: { message: "no" } };
  const { steps, stopped } = await theatre({ answer: () => refuse }).play("steps: [{ request: GET /api }]");
  expect(stopped).toMatch(/^the namespace could not be made: 403/u);
  expect(steps).toEqual([]);
});
