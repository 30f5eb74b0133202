import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ConfigMap, Pod } from "@kedge/machinery/kinds/core/v1";
import { actionText } from "@kedge/runtime";
import { describe, expect, it } from "vitest";
import { configHash, redisConfig } from "../config/redis-config.ts";
import { serverFacts } from "../engine/server-facts.ts";
import type { Observed } from "../observe.ts";
import type { ServerView } from "../server-view.ts";
import { configCopyName } from "../specs/config-map.ts";
import { statefulSetOf } from "../specs/stateful-set.ts";
import { instanceOf, observedOf, podOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { readRecord } from "../users.ts";
import { configCondition } from "./config-condition.ts";
import { planLiveConfig } from "./live-config.ts";
import { planConfig } from "./config.ts";
import { planInstance } from "./plan.ts";

const conf = (config: Record<string, string>): string => redisConfig({ config, authEnabled: true });

const base = conf({ hz: "10" });
const hash = configHash(base);
const key = `live-${hash.slice(0, 10)}.conf`;

function configMap(name: string, data: Record<string, string>): DeepReadonly<ConfigMap> {
  const { metadata } = podOf(name, {});
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

function server(ordinal: number, role: "primary" | "replica", runId: string): ServerView {
  const users = ["default", "kedge-operator-3", "kedge-primary-3"];
  const info = `redis_version:7.0.15\r\nrun_id:${runId}\r\nrole:${role === "primary" ? "master" : "slave"}\r\nloading:0\r\n`;
  return {
    pod: `cache-${ordinal}`,
    uid: `cache-${ordinal}`,
    ordinal,
    host: `10.0.0.${ordinal}`,
    isReady: true,
    isDeleting: false,
    revision: "r1",
    role,
    answer: { facts: serverFacts(info), users, record: readRecord(users) },
    failure: undefined,
    silentMs: 0,
    missedAt: undefined,
    isReached: false,
    stalledMs: 0,
    wasBusy: false,
    forks: undefined,
  };
}

const silent = (silentMs: number): ServerView => ({
  ...server(0, "primary", "aaaa"),
  answer: undefined,
  silentMs,
});

function pod(ordinal: number, mark?: string): DeepReadonly<Pod> {
  const one = podOf(`cache-${ordinal}`, {});
  const annotations = {
    "redis.github.com/config-hash": hash,
    ...(mark !== undefined && { "redis.github.com/config-set": mark }),
  };
  return { ...one, metadata: { ...one.metadata, annotations } };
}

/** Two servers that were started with `base`. */
function running(config: Record<string, string>, more: Partial<Observed> = {}, spec: object = {}): Observed {
  const instance = instanceOf({ replicas: 2, config, ...spec });
  const set = statefulSetFor(instance, rolledOut(2));
  const { spec: made } = statefulSetOf(instance.metadata, {
    image: "redis:7.0",
    replicas: 2,
    resources: undefined,
    storage: { size: "1Gi", storageClassName: undefined },
    authEnabled: true,
    configHash: hash,
    placing: { labels: {}, annotations: {}, priorityClassName: undefined },
  });
  return observedOf(instance, {
    statefulSet: { ...set, spec: withResources(made as NonNullable<StatefulSet["spec"]>) },
    configCopies: [configMap(configCopyName("cache", hash), { "redis.conf": base })],
    pods: [pod(0), pod(1)],
    servers: [server(0, "primary", "aaaa"), server(1, "replica", "bbbb")],
    ...more,
  });
}

/** As a server answers it: with what was left out. */
function withResources(spec: StatefulSet["spec"]): StatefulSet["spec"] {
  const { template } = spec;
  const containers = template.spec?.containers.map((one) => ({ resources: {}, ...one })) ?? [];
  return { ...spec, template: { ...template, spec: { ...template.spec, containers } } };
}

function plan(observed: Observed) {
  const config = planConfig(observed);
  return planLiveConfig(observed, { ...config, text: config.text ?? "" });
}

const marksOf = (observed: Observed): readonly DeepReadonly<Pod>[] =>
  plan(observed)
    .actions.toSorted((one, other) => (one.server.pod < other.server.pod ? -1 : 1))
    .map(({ marker }, ordinal) => pod(ordinal, marker));

describe("a config that servers can change while they run", () => {
  it("is set in each of them, in the primary last, and pods stay", () => {
    const { base: made, actions, overlays, waiting } = plan(running({ hz: "50" }));
    expect(made).toBe(base);
    expect(actions).toMatchObject([
      { server: { pod: "cache-1", host: "10.0.0.1", as: "kedge-operator-3" }, settings: [["hz", "50"]] },
      { server: { pod: "cache-0" }, settings: [["hz", "50"]] },
    ]);
    expect(overlays).toEqual({ [key]: "" });
    expect(waiting).toEqual(["cache-0", "cache-1"]);
  });

  it("is kept for servers that start, when all that can be reached have taken it", () => {
    const pods = marksOf(running({ hz: "50" }));
    const { actions, overlays, waiting, base: made } = plan(running({ hz: "50" }, { pods }));
    expect({ actions, overlays, waiting, made }).toEqual({
      actions: [],
      overlays: { [key]: 'hz "50"\n' },
      waiting: [],
      made: base,
    });
  });

  it("is set again in a server that was started again", () => {
    const pods = marksOf(running({ hz: "50" }));
    const servers = [server(0, "primary", "aaaa"), server(1, "replica", "cccc")];
    const peers = configMap("cache.peers", { [key]: 'hz "50"\n' });
    const { actions, overlays } = plan(running({ hz: "50" }, { pods, servers, peers }));
    expect(actions.map((action) => action.server.pod)).toEqual(["cache-1"]);
    expect(overlays).toEqual({ [key]: 'hz "50"\n' });
  });

  it("is taken back in the same way, with what was new in it", () => {
    const peers = configMap("cache.peers", { [key]: 'hz "50"\nmaxmemory "1gb"\n' });
    const [action] = plan(running({ hz: "10" }, { peers })).actions;
    expect(action?.settings).toEqual([
      ["hz", "10"],
      ["maxmemory", "0"],
    ]);
  });

  it.each([
    ["what needs a start", { databases: "32" }, {}, {}],
    ["there is no server", { hz: "50" }, { servers: [] }, {}],
    ["nobody has answered for long", { hz: "50" }, { servers: [silent(20_000), silent(30_000)] }, {}],
    ["the memory changes with it", { hz: "50" }, {}, { resources: { limits: { memory: "1Gi" } } }],
    ["the image changes with it", { hz: "50" }, {}, { image: "redis:8.0" }],
  ])("replaces pods when not: %s", (_what, config, more, spec) => {
    const observed = running(config, more, spec);
    const { base: made, actions } = plan(observed);
    expect(made).not.toBe(base);
    expect(actions).toEqual([]);
  });

  it("waits a little for servers that have not answered yet", () => {
    expect(plan(running({ hz: "50" }, { servers: [silent(1000)] }))).toMatchObject({
      base,
      actions: [],
      waiting: ["cache-0"],
      again: 1000,
    });
  });

  it("keeps every copy while it waits: the next pods may need any of them", () => {
    const copies = ["new", "old"].map((name) => configMap(`cache-config-${name}`, {}));
    const deleted = (silentMs: number) => {
      const { configCopies, ...observed } = running({ hz: "50" }, { servers: [silent(silentMs)] });
      const { actions } = planInstance({ ...observed, configCopies: [...configCopies, ...copies] });
      return actions.map(actionText).filter((text) => text.startsWith("delete"));
    };
    expect(deleted(1000)).toEqual([]);
    expect(deleted(60_000)).toEqual([
      "delete ConfigMap cache-config-new",
      "delete ConfigMap cache-config-old",
    ]);
  });

  it("stays set while no server can be reached", () => {
    const peers = configMap("cache.peers", { [key]: 'hz "50"\n' });
    expect(plan(running({ hz: "50" }, { peers, servers: [] }))).toMatchObject({
      base,
      overlays: { [key]: 'hz "50"\n' },
    });
  });

  it("goes on in the next template, and the overlay goes with the last pod that needs it", () => {
    const peers = configMap("cache.peers", { [key]: 'hz "50"\n' });
    const rolled = running({ hz: "50", databases: "32" }, { peers });
    expect(plan(rolled)).toMatchObject({ overlays: { [key]: 'hz "50"\n' } });
    expect(plan(rolled).base).toContain("hz 50\n");
    expect(plan({ ...rolled, pods: [] }).overlays).toEqual({});
  });

  it("is refused in the server's own words, and others get back what they had", () => {
    const hashOf = (config: Record<string, string>) => configHash(conf(config));
    const wanted = { save: "x", hz: "10" };
    const configTrial = {
      hash: hashOf(wanted),
      pod: "cache-1",
      words: "Invalid save parameters",
      names: ["save"],
    };
    const { refusals, actions, overlays, base: made } = plan(running(wanted, { configTrial }));
    expect(refusals[0]?.message).toContain("was refused by the server of cache-1: Invalid save parameters;");
    expect(made).toBe(base);
    expect(overlays).toEqual({ [key]: "" });
    expect(actions[0]?.settings).toEqual([["save", "3600 1 300 100 60 10000"]]);
    // Another one is tried.
    expect(plan(running({ save: "9 1", hz: "10" }, { configTrial })).refusals).toEqual([]);
  });

  it("that was set stays when another one is refused", () => {
    const peers = configMap("cache.peers", { [key]: 'hz "50"\n' });
    const { overlays, base: made } = plan(running({ hz: "often" }, { peers, pods: [pod(0), pod(1)] }));
    expect(made).toBe(base);
    expect(overlays).toEqual({ [key]: 'hz "50"\n' });
  });
});

describe("the condition ConfigApplied", () => {
  it("tells of each way", () => {
    const reason = (observed: Observed): string => configCondition(observed, []).reason;
    expect(reason(running({ hz: "10" }))).toBe("Applied");
    expect(reason(running({ hz: "50" }))).toBe("Setting");
    expect(reason(running({ hz: "50" }, { pods: marksOf(running({ hz: "50" })) }))).toBe("Applied");
    expect(reason(running({ hz: "10" }, { pods: [] }))).toBe("NoServers");
    const older = podOf("cache-0", {});
    expect(configCondition(running({ hz: "10" }, { pods: [older, pod(1)] }), [])).toMatchObject({
      reason: "RollingOut",
      message: expect.stringContaining("cache-0") as string,
    });
    const refusals = [{ field: 'spec.config["hz"]', message: "is often" }];
    expect(configCondition(running({ hz: "often" }), refusals)).toMatchObject({ reason: "Refused" });
  });
});
