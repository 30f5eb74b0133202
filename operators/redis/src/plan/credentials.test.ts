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
    const userTrials = [{ user: "app", rules: "+x", pod: "cache-1", server: "redis 7.0.15", words: "no" }];
    expect(told(observed(both, { untried }, { userTrials }))).toEqual([]);
  });

  it("is tried again when no server of the version is left that refused it", () => {
    const untried = [{ user: "app", rules: "resetchannels -@all +x" }];
    const facts = observed(both, { untried });
    const userTrials = untried.map((one) => ({
      ...one,
      pod: "cache-1",
      server: "redis 7.0.15",
      words: "no",
    }));
    const instance = instanceOf({
      users: [{ name: "app", commands: ["+x"], passwords: [{ secret: "app", key: "password" }] }],
    });
    const running = (...versions: readonly string[]): Observed => ({
      ...facts,
      instance,
      userTrials,
      servers: facts.servers.map((server, i) => ({
        ...server,
        ...(server.answer !== undefined && {
          answer: { ...server.answer, facts: { ...server.answer.facts, version: versions[i] ?? "" } },
        }),
      })),
    });
    const half = running("7.0.15", "8.0.2");
    expect(told(half)).toEqual([]);
    expect(planCredentials(half).refusals[0]?.message).toContain("was refused by the server of cache-1: no");
    const upgraded = running("8.0.2", "8.0.2");
    expect(told(upgraded)).toEqual(["try users cache-1"]);
    expect(planCredentials(upgraded).refusals).toEqual([]);
    // What an older server would have to start with it is asked about.
    expect(told({ ...half, userTrials: [] })).toEqual(["try users cache-0"]);
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
