import { describe, expect, it } from "vitest";
import { valueAt } from "../script/json-pointer.ts";
import { theatre } from "../testing/theatre.ts";
import type { Play } from "./play.ts";

const configMaps = "/api/v1/namespaces/${ns}/configmaps";

describe("watches", () => {
  const opened = `
steps:
  - request: GET ${configMaps}
    save: { rv: /metadata/resourceVersion }
  - watch: changes
    request: GET ${configMaps}?watch=true
    query: { resourceVersion: "\${rv}" }
  - request: POST ${configMaps}
    for: [a, b]
    body: { metadata: { name: "\${it}" } }
  - request: DELETE ${configMaps}/a`;

  it.each([
    { take: "count: 2", types: ["ADDED", "ADDED"], rest: "DELETED" },
    { take: "through: ADDED", types: ["ADDED"], rest: "ADDED, DELETED" },
    { take: "through: DELETED", types: ["ADDED", "ADDED", "DELETED"], rest: undefined },
  ])("are read in the background, and $take takes from them", async ({ take, types, rest }) => {
    const played = await theatre().play(`${opened}\n  - events: changes\n    ${take}`);
    expect(typesIn(played)).toEqual(types);
    expect(played.stopped).toBe(
      rest === undefined ? rest : `the watch changes gave more than was asked for: ${rest}`,
    );
  });

  it("go on where the last events step ended, and events can be saved from", async () => {
    const { play, server } = theatre();
    const played = await play(`${opened}
  - events: changes
    count: 1
    save: { name: /0/object/metadata/name }
  - events: changes
    through: DELETED
  - request: GET ${configMaps}/again-\${name}`);
    expect(played.stopped).toBeUndefined();
    expect(typesIn(played)).toEqual(["ADDED", "ADDED", "DELETED"]);
    expect(server.requests.at(-1)?.path).toMatch(/again-a$/u);
  });

  it("end with the script", async () => {
    const { play, server } = theatre();
    await play(`${opened}\n  - events: changes\n    through: DELETED`);
    const watch = server.requests.find(({ path }) => path.includes("watch=true"));
    expect(watch?.signal?.aborted).toBe(true);
  });

  it("may be ended by the server", async () => {
    const played = await theatre().play(`
steps:
  - watch: short
    request: GET ${configMaps}?watch=true&timeoutSeconds=5
  - request: POST ${configMaps}
    body: { metadata: { name: a } }
  - events: short
    through: end`);
    expect(played.stopped).toBeUndefined();
    expect(typesIn(played)).toEqual(["ADDED"]);
    expect(played.steps.at(-1)).toMatchObject({ end: "closed" });
  });

  it("stop the script when an event does not come", async () => {
    const played = await theatre().play(`${opened}\n  - events: changes\n    through: MODIFIED`);
    expect(played.stopped).toBe("step 6: the events did not come within 120 s");
    expect(played.steps.at(-1)).toMatchObject({ end: "late" });
    expect(typesIn(played)).toEqual(["ADDED", "ADDED", "DELETED"]);
  });
});

function typesIn({ steps }: Play): readonly unknown[] {
  return steps
    .flatMap((step) => ("events" in step ? step.events : []))
    .map((event) => valueAt(event, "/type"));
}
