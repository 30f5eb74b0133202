import { describe, expect, it } from "vitest";
import { instanceOf, observedOf } from "../testing/builders.ts";
import { serversOf } from "../testing/servers.ts";
import type { Observed } from "../observe.ts";
import { planCredentials, spreadOf } from "./credentials.ts";

const usual = observedOf(instanceOf()).credentials;
const marker = "kedge-users-id-2";

/** Two servers; those that are named have the newest users. */
function observed(
  having: readonly string[],
  credentials: Partial<Observed["credentials"]>,
  more: Partial<Observed> = {},
) {
  const servers = serversOf({}, {}).map((server) => ({
    ...server,
    ...(server.answer !== undefined &&
      having.includes(server.pod) && {
        answer: { ...server.answer, users: [...server.answer.users, marker] },
      }),
  }));
  return observedOf(instanceOf(), { servers, credentials: { ...usual, marker, ...credentials }, ...more });
}

const told = (facts: Observed): readonly string[] =>
  planCredentials(facts).actions.map((action) =>
    [action.type, "server" in action ? action.server.pod : "of" in action ? action.of : ""].join(" ").trim(),
  );

describe("what is done about passwords and users", () => {
  const both = ["cache-0", "cache-1"];

  it("is nothing when all servers have them", () => {
    expect(planCredentials(observed(both, {}))).toEqual({
      actions: [],
      refusals: [],
      again: undefined,
    });
  });

  it("is told to the servers that have not got them", () => {
    expect(told(observed(["cache-0"], {}))).toEqual(["set users cache-1"]);
    expect(spreadOf(observed(["cache-0"], {})).waiting).toEqual(["cache-1"]);
  });

  it("begins with what is written down", () => {
    expect(told(observed(both, { client: "begin" }))).toEqual(["turn password"]);
    expect(told(observed(both, { system: "begin" }))).toEqual(["turn system key"]);
  });

  it("ends only when every server that runs has them", () => {
    expect(told(observed(both, { client: "spreading" }))).toEqual(["finish rotation client"]);
    expect(told(observed(["cache-0"], { client: "spreading" }))).toEqual(["set users cache-1"]);
    expect(told(observed(both, { client: "spreading", secret: "outdated" }))).toEqual(["keep system secret"]);
    const silent = observed(both, { system: "spreading" });
    const servers = silent.servers.map((server) =>
      server.ordinal === 1 ? { ...server, answer: undefined } : server,
    );
    expect(told({ ...silent, servers })).toEqual([]);
  });

  it("is not said to a server that nobody has admitted", () => {
    const facts = observed([], {});
    const held = serversOf({ isRestarted: true }, { isRestarted: true });
    expect(told({ ...facts, servers: held })).toEqual([]);
  });

  it("is looked at again when a password runs out", () => {
    expect(planCredentials(observed(both, { expiresInMs: 77 })).again).toBe(77);
  });

  it("is tried on a replica first, once", () => {
    const untried = [{ user: "app", rules: "+x" }];
    expect(told(observed(both, { untried }))).toEqual(["try users cache-1"]);
    const userTrials = [{ user: "app", rules: "+x", pod: "cache-1", words: "no" }];
    expect(told(observed(both, { untried }, { userTrials }))).toEqual([]);
  });

  it.each([
    ["client", "none", "metadata.annotations", []],
    ["nonsense", "none", "metadata.annotations", []],
    ["all", "none", undefined, ["clear annotation"]],
    ["client", "make", undefined, ["turn password", "clear annotation"]],
    ["client", "spreading", undefined, ["clear annotation", "finish rotation client"]],
  ] as const)("asked for by %s while it is %s", (value, client, field, actions) => {
    const metadata = { annotations: { "redis.github.com/rotate-password": value } };
    const facts = { ...observed(both, { client }), instance: instanceOf({}, { metadata }) };
    expect(told(facts)).toEqual(actions);
    const [refusal] = planCredentials(facts).refusals;
    expect(refusal?.field.startsWith("metadata.annotations") ?? false).toBe(field !== undefined);
  });
});
