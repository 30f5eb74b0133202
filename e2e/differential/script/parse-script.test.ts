import { describe, expect, it } from "vitest";
import { parseScript } from "./parse-script.ts";

const title = "title: A behaviour in a sentence";

describe("parseScript", () => {
  it("reads a request with all that it can have", () => {
    const { steps, cleanup, variables, alone } = parseScript(
      "area/name",
      `${title}
alone: true
let: { long: { repeat: ab, times: 2 }, short: x }
steps:
  - request: PATCH /api/v1/nodes/\${long}
    type: merge-patch
    query: { dryRun: All, many: [a, b] }
    headers: { accept: text/plain }
    as: { user: jane }
    body: { a: 1 }
    until: { status: 200, body: { a: 1 } }
    only: [/data]
    save: { rv: /metadata/resourceVersion }
  - watch: changes
    request: GET /w
  - events: changes
    count: 2
cleanup:
  - DELETE /api/v1/nodes/\${short}`,
    );
    expect({ alone, variables }).toEqual({ alone: true, variables: { long: "abab", short: "x" } });
    expect(steps).toEqual([
      {
        kind: "request",
        method: "PATCH",
        path: "/api/v1/nodes/${long}",
        query: { dryRun: "All", many: ["a", "b"] },
        headers: { "content-type": "application/merge-patch+json", accept: "text/plain" },
        as: { user: "jane", groups: [], extra: {} },
        body: { json: { a: 1 } },
        until: { status: 200, body: { a: 1 } },
        only: ["/data"],
        save: { rv: "/metadata/resourceVersion" },
      },
      { kind: "watch", watch: "changes", method: "GET", path: "/w", query: {}, headers: {}, save: {} },
      { kind: "events", events: "changes", take: 2, save: {} },
    ]);
    expect(cleanup).toMatchObject([{ method: "DELETE", path: "/api/v1/nodes/${short}" }]);
  });

  it("makes one step for each value of for", () => {
    const text = `${title}\nsteps: [{ request: "GET /\${it}", for: [a, 2], body: { "\${it}": ["\${it}"] } }]`;
    expect(parseScript("area/name", text).steps).toMatchObject([
      { path: "/a", body: { json: { a: ["a"] } } },
      { path: "/2", body: { json: { 2: ["2"] } } },
    ]);
  });

  it.each([
    ["steps: [{ request: GET / }]", "the title is one sentence"],
    [`${title}.\nsteps: [{ request: GET / }]`, "no full stop"],
    [`${title}\nsteps: []`, "there are no steps"],
    [`${title}\nstep: []\nsteps: [{ request: GET / }]`, "the script has no field step"],
    [`${title}\nsteps: [{ request: GET /, bodi: {} }]`, "step 1 has no field bodi: see README.md"],
    [`${title}\nsteps: [{ request: get / }]`, "step 1 needs `request: METHOD /path`"],
    [`${title}\nsteps: [{ request: GET /, body: {}, text: x }]`, "more than one of body, text and base64"],
    [`${title}\nsteps: [{ request: GET /, save: { a: b } }]`, "neither a JSON pointer nor header:<name>"],
    [`${title}\nsteps: [{ request: GET /, only: data }]`, "`data` is not a JSON pointer"],
    [`${title}\nsteps: [{ request: "GET /\${rv}" }]`, "${rv} is used before anything is saved in it"],
    [
      `${title}\nsteps: [{ events: a, count: 1 }]`,
      "there are no events of `a`: no step opens this watch before",
    ],
    [
      `${title}\nsteps: [{ watch: a, request: GET / }, { events: a }]`,
      "step 2 needs count: <number>, or through:",
    ],
    [`${title}\nsteps: [{ request: GET /, until: { state: 1 } }]`, "until of step 1 has no field state"],
  ])("refuses %j", (text, message) => {
    expect(() => parseScript("area/name", text)).toThrow(message);
    expect(() => parseScript("area/name", text)).toThrow(/^area\/name\.yaml: /u);
  });
});
