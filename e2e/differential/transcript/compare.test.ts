import { describe, expect, it } from "vitest";
import type { FakeAnswer, FakeEvent, FakeServerOptions } from "../testing/fake-server.ts";
import { theatre } from "../testing/theatre.ts";
import { compare, describeDifferences } from "./compare.ts";
import { toTranscript } from "./to-transcript.ts";
import type { Transcript } from "./transcript.ts";
import { transcriptFromYaml, transcriptToYaml } from "./transcript-yaml.ts";

const script = `
steps:
  - request: GET /api/v1/namespaces/\${ns}/configmaps
    save: { rv: /metadata/resourceVersion }
  - watch: changes
    request: GET /api/v1/namespaces/\${ns}/configmaps?watch=true
    query: { resourceVersion: "\${rv}" }
  - request: POST /api/v1/namespaces/\${ns}/configmaps
    body: { metadata: { name: a, namespace: "\${ns}" } }
  - request: PUT /api/v1/namespaces/\${ns}/configmaps/a
    body: { data: { colour: blue } }
  - request: DELETE /api/v1/namespaces/\${ns}/configmaps/a
  - events: changes
    through: DELETED
    ignore: [/*/object]`;

const recorded = transcriptFromYaml(transcriptToYaml(await transcriptOf({})));

describe("compare", () => {
  it("finds servers equal that differ in uids, versions, times and the names of the run", async () => {
    const other = await transcriptOf({ seed: 7 });
    expect(compare(recorded, other)).toEqual({ compared: 8, differences: [] });
    expect(transcriptToYaml(other)).toBe(transcriptToYaml(recorded));
  });

  it.each<{ what: string; fault: Partial<FakeServerOptions>; seen: readonly string[] }>([
    {
      what: "another status",
      fault: answering("DELETE", () => ({ status: 202 })),
      seen: ["5/status: 200, not 202"],
    },
    {
      what: "a header that should not be there",
      fault: answering("DELETE", ({ headers }) => ({ headers: { ...headers, warning: '299 - "old"' } })),
      seen: [String.raw`5/headers: nothing, not {"warning":"299 - \"old\""}`],
    },
    {
      what: "a header that is missing",
      fault: answering("DELETE", ({ headers: { "audit-id": _auditId, ...headers } }) => ({ headers })),
      seen: ['5/headers: nothing, not {"audit-id":"<absent>"}'],
    },
    {
      what: "a field that is otherwise",
      fault: answering("PUT", ({ body }) => ({ body: { ...body, data: { colour: "red" } } })),
      seen: ['4/body/data/colour: "blue", not "red"'],
    },
    {
      what: "a field that is missing, and one too many",
      fault: answering("PUT", ({ body: { data: _data, ...body } }) => ({
        body: { ...body, kind: "ConfigMap" },
      })),
      seen: ['4/body/data: {"colour":"blue"}, not nothing', '4/body/kind: nothing, not "ConfigMap"'],
    },
    {
      what: "an event that is missing",
      fault: { tell: (event) => (event.type === "MODIFIED" ? [] : [event]) },
      seen: ['6/list/1/type: "MODIFIED", not "DELETED"', '6/list/2: {"type":"DELETED"}, not nothing'],
    },
    {
      what: "an event too many",
      fault: { tell: (event) => (event.type === "MODIFIED" ? [event, event] : [event]) },
      seen: ['6/list/2/type: "DELETED", not "MODIFIED"', '6/list/3: nothing, not {"type":"DELETED"}'],
    },
    {
      what: "events in another order",
      fault: { tell: firstTwoSwapped() },
      seen: ['6/list/0/type: "ADDED", not "MODIFIED"', '6/list/1/type: "MODIFIED", not "ADDED"'],
    },
    {
      what: "an event after the last, which stops the script",
      fault: { tell: (event) => (event.type === "DELETED" ? [event, event] : [event]) },
      seen: ['0/stopped: nothing, not "the watch changes gave more than was asked for: DELETED"'],
    },
    {
      what: "a uid that should have stayed",
      fault: answeringMetadata("PUT", { uid: "f3a1b7f0-0000-4000-8000-000000000000" }),
      seen: ['4/body/metadata/uid: "<uid:1>", not "<uid:2>"'],
    },
    {
      what: "versions in another order",
      // 1001 is the namespace: the three writes after it go down from 1004.
      fault: {
        nextVersion: (version) =>
          new Map([
            [1000, 1001],
            [1001, 1004],
          ]).get(version) ?? version - 1,
      },
      seen: [
        '3/body/metadata/resourceVersion: "<rv:1>", not "<rv:3>"',
        '5/body/metadata/resourceVersion: "<rv:3>", not "<rv:1>"',
      ],
    },
    {
      what: "a version that should have changed",
      fault: answeringMetadata("DELETE", { resourceVersion: "1003" }),
      seen: ['5/body/metadata/resourceVersion: "<rv:3>", not "<rv:2>"'],
    },
  ])("sees $what", async ({ fault, seen }) => {
    const { differences } = compare(recorded, await transcriptOf(fault));
    const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
    expect(
      differences.map(
        ({ step, path, expected, got }) => `${step}${path}: ${show(expected)}, not ${show(got)}`,
      ),
    ).toEqual(seen);
  });

  it("sees steps that are not there, and counts those that should be", () => {
    const { compared, differences } = compare(recorded, { ...recorded, steps: recorded.steps.slice(0, 5) });
    expect(compared).toBe(8);
    expect(differences).toMatchObject([{ step: 6, what: "events of changes", path: "", got: undefined }]);
  });

  it("counts events of which only a part is recorded", async () => {
    const part = toTranscript(await theatre().play(script.replace("ignore: [/*/object]", "only: [/*/type]")));
    expect(part.steps[5]).toMatchObject({ list: { "/0/type": "ADDED", "/2/type": "DELETED" } });
    expect(compare(part, part)).toEqual({ compared: 8, differences: [] });
  });
});

describe("describeDifferences", () => {
  it("tells where, what was expected and what came", () => {
    const differences = [
      { step: 0, what: "A title", path: "/stopped", expected: undefined, got: "step 2: late" },
      { step: 2, what: "GET /api", path: "", expected: { status: 200 }, got: undefined },
    ];
    expect(describeDifferences(differences)).toBe(
      [
        'A title\n  at /stopped\n    expected nothing\n    got      "step 2: late"\n',
        'step 2, GET /api\n  at the step\n    expected {"status":200}\n    got      nothing\n',
      ].join(""),
    );
  });

  it("is empty without differences", () => {
    expect(describeDifferences([])).toBe("");
  });
});

async function transcriptOf(options: Partial<FakeServerOptions>): Promise<Transcript> {
  return toTranscript(await theatre(options).play(script));
}

function answering(
  method: string,
  change: (answer: FakeAnswer) => Partial<FakeAnswer>,
): Partial<FakeServerOptions> {
  return {
    answer: (answer, request) => (request.method === method ? { ...answer, ...change(answer) } : answer),
  };
}

function answeringMetadata(
  method: string,
  changed: Readonly<Record<string, string>>,
): Partial<FakeServerOptions> {
  return answering(method, ({ body }) => ({
    body: { ...body, metadata: { ...(body["metadata"] as object), ...changed } },
  }));
}

/** Of one namespace's events: that of the namespace itself is told as it is. */
function firstTwoSwapped(): (event: FakeEvent) => readonly FakeEvent[] {
  let held: FakeEvent | undefined;
  return (event) => {
    if (event.type === "MODIFIED" && held !== undefined) return [event, held];
    if (event.type === "ADDED") held = event;
    return event === held ? [] : [event];
  };
}
