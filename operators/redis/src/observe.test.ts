import { controllerReference, realClock, resourceVersion, uid } from "@kedge/machinery";
import { cachesOf, startTestEnv, type HeldObject } from "@kedge/testkit";
import { Namespace, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { ConfigTrials } from "./config-trials.ts";
import { labelsOf } from "./names.ts";
import { observe, type Observed } from "./observe.ts";
import { instanceOf, statefulSetFor } from "./testing/builders.ts";
import { silentPulse } from "./testing/silent-engine.ts";
import { UserTrials } from "./user-trials.ts";

const instance = instanceOf();
const other = instanceOf({}, { metadata: { uid: uid("other-uid") } });
const set = statefulSetFor(instance);
const stored = { resourceVersion: resourceVersion("7"), creationTimestamp: "2026-11-16T00:00:00Z" };

function held(kind: string, name: string, more: object = {}): HeldObject {
  return {
    kind,
    metadata: {
      ...stored,
      namespace: "shop",
      name,
      uid: uid(`${kind}-${name}`),
      labels: labelsOf("cache"),
      ...more,
    },
  };
}

/** From caches that hold these. A server that was asked would be missed. */
async function observed(...objects: readonly HeldObject[]): Promise<Observed> {
  const context = { ...cachesOf(objects), clock: realClock, signal: new AbortController().signal };
  return await observe(context as never, instance, {
    pulse: silentPulse(realClock),
    trials: new ConfigTrials(),
    userTrials: new UserTrials(),
  });
}

const names = (objects: readonly HeldObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name);

describe("the StatefulSet", () => {
  it("is ours when we control it", async () => {
    expect(await observed(set)).toMatchObject({ statefulSet: set, isNameTaken: false });
  });

  it.each([
    [
      "another controls it",
      { ...set, metadata: { ...set.metadata, ownerReferences: [controllerReference(other)] } },
    ],
    ["nobody controls it", { ...set, metadata: { ...set.metadata, ownerReferences: [] } }],
  ])("has only our name when %s", async (_when, found) => {
    expect(await observed(found)).toMatchObject({ statefulSet: undefined, isNameTaken: true });
  });

  it("may not be there", async () => {
    expect(await observed()).toMatchObject({ statefulSet: undefined, isNameTaken: false });
  });
});

describe("pods", () => {
  const ofSet = { ownerReferences: [controllerReference(set)] };
  const ofOther = {
    ownerReferences: [controllerReference({ ...set, metadata: { ...set.metadata, uid: uid("x") } })],
  };
  it.each([
    ["of our StatefulSet", ofSet, true],
    ["that nobody controls", {}, true],
    ["of another StatefulSet", ofOther, false],
    ["of another instance", { ...ofSet, labels: labelsOf("other") }, false],
    ["of another namespace", { ...ofSet, namespace: "other" }, false],
  ])("%s: %j", async (_whose, metadata, isOurs) => {
    const { pods } = await observed(set, held("Pod", "cache-0", metadata));
    expect(pods).toHaveLength(isOurs ? 1 : 0);
  });
});

it("claims are known by name and labels", async () => {
  const { claims, unlabelledClaims } = await observed(
    set,
    held("PersistentVolumeClaim", "redis-data-cache-0"),
    held("PersistentVolumeClaim", "redis-data-cache-x"),
    held("PersistentVolumeClaim", "redis-data-cache-1", { labels: labelsOf("other") }),
    held("PersistentVolumeClaim", "mine"),
  );
  expect([names(claims), names(unlabelledClaims)]).toEqual([["redis-data-cache-0"], []]);
});

it("copies of the config are those that we control and that say so", async () => {
  const owned = { ownerReferences: [controllerReference(instance)] };
  const copy = { ...labelsOf("cache"), "redis.github.com/config-copy": "" };
  const { configMap, configCopies, peers } = await observed(
    held("ConfigMap", "cache", owned),
    held("ConfigMap", "cache.peers", owned),
    held("ConfigMap", "cache-config-1", { ...owned, labels: copy }),
    held("ConfigMap", "cache-config-2", { labels: copy }),
  );
  expect([configMap?.metadata.name, names(configCopies), peers?.metadata.name]).toEqual([
    "cache",
    ["cache-config-1"],
    "cache.peers",
  ]);
});

it("only events of our StatefulSet's name are of interest", async () => {
  const event = (name: string, of: string): HeldObject =>
    Object.assign(held("Event", name), { involvedObject: { name: of } });
  const { failedCreations } = await observed(event("a", "cache"), event("b", "other"));
  expect(names(failedCreations)).toEqual(["a"]);
});

describe("before volumes are deleted", () => {
  const deleted = instanceOf(
    { deletionPolicy: "Delete" },
    { metadata: { deletionTimestamp: "2026-11-16T01:00:00Z" } },
  );
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

  async function observedLive(hasSet: boolean): Promise<readonly (readonly string[])[]> {
    await using env = await startTestEnv({ node: false });
    env.process("controllers").kill();
    await env.create(Namespace, { metadata: { name: "shop" } });
    const { metadata, ...rest } = set;
    const { name, namespace, ownerReferences } = metadata;
    if (hasSet)
      await env.create(StatefulSet, {
        ...rest,
        metadata: { name, namespace, ownerReferences },
      });
    const claim = (claimName: string, labels: Record<string, string>, owner = {}): Promise<unknown> =>
      env.create(PersistentVolumeClaim, {
        metadata: { namespace: "shop", name: claimName, labels, ...owner },
        spec,
      });
    await claim("redis-data-cache-0", labelsOf("cache"));
    await claim("redis-data-cache-1", {});
    await claim("redis-data-cache-2", { app: "redis" });
    await claim("redis-data-cache-3", labelsOf("other"));
    await claim("redis-data-cache-4", {}, { ownerReferences: [controllerReference(other)] });
    await claim("unrelated", {});
    const context = {
      ...cachesOf([]),
      client: env.client,
      clock: env.clock,
      signal: new AbortController().signal,
    };
    const { claims, unlabelledClaims } = await env.run(
      observe(context, deleted, {
        pulse: silentPulse(env.clock),
        trials: new ConfigTrials(),
        userTrials: new UserTrials(),
      }),
    );
    return [names(claims), names(unlabelledClaims)];
  }

  it("the server is asked, also for claims of the StatefulSet that lost their labels", async () => {
    expect(await observedLive(true)).toEqual([
      ["redis-data-cache-0"],
      ["redis-data-cache-1", "redis-data-cache-2"],
    ]);
  });

  it("a name alone tells nothing when the StatefulSet is gone", async () => {
    expect(await observedLive(false)).toEqual([["redis-data-cache-0"], []]);
  });
});
