import { fieldInvalid, StatusError, uid, type ObjectMeta, type Status } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import type { ApiObject, StoredApiObject, Strategy } from "../registry/types.ts";
import { createObject } from "./create-object.ts";
import type { WriteScope } from "./scope.ts";
import { configMap, startWrites, type TestWrites } from "./testing/start-writes.ts";

interface Wish {
  readonly strategy?: Partial<Strategy>;
  readonly scope?: Partial<WriteScope>;
}

async function create(
  writes: TestWrites,
  object: ApiObject,
  { strategy, scope }: Wish = {},
): Promise<StoredApiObject> {
  const manage = (managed: ApiObject): ApiObject => managed;
  return await createObject(writes.scope(writes.resource(strategy), scope), {
    namespace: "ns",
    object,
    manage,
  });
}

async function refusal(creating: Promise<unknown>): Promise<Partial<Status>> {
  const error: unknown = await creating.catch((reason: unknown) => reason);
  if (!(error instanceof StatusError)) throw new Error("it was not refused");
  const { code, reason, message } = error.status;
  return { code, reason, message };
}

/** Chance that always gives the same name. */
const sameName = { next: () => 0, int: () => 0, uuid: () => "u" };

describe("a new object", () => {
  it("says what only the server says", async () => {
    await using writes = await startWrites();
    const sent: ObjectMeta = {
      name: "a",
      uid: uid("mine"),
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: "/me",
    };
    const { metadata } = await create(writes, configMap(sent));
    expect(metadata).toEqual({
      name: "a",
      namespace: "ns",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/u) as string,
      creationTimestamp: expect.stringMatching(/Z$/u) as string,
      generation: 1,
      resourceVersion: "2",
    });
    expect(metadata.uid).not.toBe("mine");
    expect(metadata.creationTimestamp).not.toBe("2001-01-01T00:00:00Z");
    expect(writes.get("a")?.metadata).toEqual(metadata);
  });

  it("has no generation where its kind has none", async () => {
    await using writes = await startWrites();
    const { metadata } = await create(writes, configMap(), { strategy: { generation: "none" } });
    expect(metadata.generation).toBeUndefined();
  });

  it("cannot be changed any more by who made it", async () => {
    await using writes = await startWrites();
    expect(Object.isFrozen((await create(writes, configMap())).metadata)).toBe(true);
  });

  it("goes through its kind's hooks in their order, and is told when it is stored", async () => {
    await using writes = await startWrites();
    const calls: string[] = [];
    const hook = (name: string) => (): void => void calls.push(name);
    const list = (name: string) => (): readonly never[] => {
      calls.push(name);
      return [];
    };
    await create(writes, configMap(), {
      strategy: {
        default: hook("default"),
        prepareForCreate: hook("prepare"),
        allocate: hook("allocate"),
        validate: list("validate"),
        warnings: list("warnings"),
        stored: ({ metadata }) => calls.push(`stored at ${metadata.resourceVersion ?? ""}`),
      },
    });
    expect(calls).toEqual([
      "default",
      "prepare",
      "allocate",
      "default",
      "validate",
      "warnings",
      "stored at 2",
    ]);
  });
});

describe("a name", () => {
  it("is generated", async () => {
    await using writes = await startWrites();
    const { metadata } = await create(writes, configMap({ generateName: "g-" }));
    expect(metadata.name).toMatch(/^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/u);
  });

  it("is another when the generated one is taken", async () => {
    let calls = 0;
    await using writes = await startWrites({ ...sameName, int: () => (++calls > 10 ? 1 : 0) });
    await writes.put(configMap({ name: "g-bbbbb" }));
    const { metadata } = await create(writes, configMap({ generateName: "g-" }));
    expect(metadata.name).toBe("g-ccccc");
  });

  it("is given up when eight are taken", async () => {
    await using writes = await startWrites(sameName);
    await writes.put(configMap({ name: "g-bbbbb" }));
    expect(await refusal(create(writes, configMap({ generateName: "g-" })))).toEqual({
      code: 409,
      reason: "AlreadyExists",
      message:
        'configmaps "g-bbbbb" already exists, the server was not able to generate a unique name for the object',
    });
  });
});

describe("a creation is refused", () => {
  it.each<[string, ApiObject, Wish, Partial<Status>]>([
    [
      "when the name is taken",
      configMap({ name: "taken" }),
      {},
      { code: 409, reason: "AlreadyExists", message: 'configmaps "taken" already exists' },
    ],
    [
      "when the name is taken, though it is only tried",
      configMap({ name: "taken" }),
      { scope: { dryRun: true } },
      { code: 409, reason: "AlreadyExists", message: 'configmaps "taken" already exists' },
    ],
    [
      "while the last of this name goes",
      configMap({ name: "going" }),
      {},
      {
        code: 409,
        reason: "AlreadyExists",
        message: 'object is being deleted: configmaps "going" already exists',
      },
    ],
    [
      "in a namespace other than that of the path",
      configMap({ name: "a", namespace: "other" }),
      {},
      {
        code: 400,
        reason: "BadRequest",
        message: "the namespace of the provided object does not match the namespace sent on the request",
      },
    ],
    [
      "with a version of something that is not there",
      configMap({ name: "a", resourceVersion: "7" as never }),
      {},
      { code: 500, reason: undefined, message: "resourceVersion should not be set on objects to be created" },
    ],
    [
      "with all that is wrong with it",
      configMap({ name: "A" }),
      { strategy: { validate: () => [fieldInvalid("data", 1, "is odd")], nameRule: () => ["is loud"] } },
      {
        code: 422,
        reason: "Invalid",
        message:
          'ConfigMap "A" is invalid: [metadata.name: Invalid value: "A": is loud, data: Invalid value: 1: is odd]',
      },
    ],
  ])("%s", async (_name, object, wish, expected) => {
    await using writes = await startWrites();
    await writes.put(configMap({ name: "taken" }));
    await writes.put(configMap({ name: "going", deletionTimestamp: "2026-01-01T00:00:00Z" }));
    const before = await writes.store.revision();
    expect(await refusal(create(writes, object, wish))).toEqual(expected);
    expect(await writes.store.revision()).toBe(before);
  });

  it("when somebody else was faster, of what he made", async () => {
    await using writes = await startWrites();
    const both = [1, 2].map(() => create(writes, configMap()).catch((error: unknown) => String(error)));
    const results = await Promise.all(both);
    expect(results.filter((result) => typeof result === "string")).toHaveLength(1);
  });
});

it("stores nothing that is only tried, and answers as if it had", async () => {
  await using writes = await startWrites();
  const { metadata } = await create(writes, configMap(), { scope: { dryRun: true } });
  expect(metadata).toMatchObject({ name: "a", generation: 1 });
  expect(metadata.resourceVersion).toBeUndefined();
  expect(writes.get("a")).toBeUndefined();
});

it("warns of what is odd only when nothing is wrong", async () => {
  await using writes = await startWrites();
  const warnings = (): readonly string[] => ["odd"];
  const wrong = { warnings, validate: () => [fieldInvalid("data", 1, "is wrong")] };
  await create(writes, configMap(), { strategy: wrong }).catch(() => undefined);
  expect(writes.warnings).toEqual([]);
  await create(writes, configMap(), { strategy: { warnings } });
  expect(writes.warnings).toEqual(["odd"]);
});

it("lets what has a time to live go by itself", async () => {
  await using writes = await startWrites();
  await create(writes, configMap(), { strategy: { ttl: 10 } });
  expect(writes.get("a")).toBeDefined();
  await writes.clock.advance(12_000);
  await writes.clock.settle();
  expect(writes.get("a")).toBeUndefined();
});
