import { fieldInvalid, StatusError, type Status } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import type { ApiObject, PartSubresource, StoredApiObject, Strategy } from "../registry/types.ts";
import { createObject } from "./create-object.ts";
import type { WriteScope } from "./scope.ts";
import { configMap, startWrites, type TestWrites } from "./testing/start-writes.ts";
import { updateObject, type Update } from "./update-object.ts";

interface Wish extends Partial<Update> {
  readonly strategy?: Partial<Strategy>;
  readonly scope?: Partial<WriteScope>;
}

/** A server with the map `a`, and something to do with it. */
async function start(metadata: ApiObject["metadata"] = {}, strategy?: Partial<Strategy>) {
  const writes = await startWrites();
  await createObject(writes.scope(writes.resource(strategy)), {
    namespace: "ns",
    object: configMap({ name: "a", ...metadata }, { x: "1" }),
    manage: (object) => object,
  });
  return writes;
}

async function update(
  writes: TestWrites,
  change: (object: ApiObject) => void,
  { strategy, scope, ...more }: Wish = {},
): Promise<StoredApiObject> {
  return await updateObject(writes.scope(writes.resource(strategy), scope), {
    key: { namespace: "ns", name: "a" },
    change: (current) => {
      const object = structuredClone(current);
      change(object);
      return object;
    },
    ...more,
  });
}

async function refusal(updating: Promise<unknown>): Promise<Partial<Status>> {
  const error: unknown = await updating.catch((reason: unknown) => reason);
  if (!(error instanceof StatusError)) throw new Error("it was not refused");
  const { code, reason, message } = error.status;
  return { code, reason, message };
}

const setData =
  (data: Readonly<Record<string, string>>) =>
  (object: ApiObject): void => {
    object["data"] = data;
  };

describe("an update", () => {
  it("is checked with the empty maps that were sent, and stored without them", async () => {
    await using writes = await start();
    const seen: unknown[] = [];
    const validate: Strategy["validate"] = (object, previous) => {
      if (previous !== undefined) seen.push(object["binaryData"]);
      return [];
    };
    const strategy: Partial<Strategy> = { validate, emptyCounts: ["binaryData"] };
    const stored = await update(writes, setData({ x: "2" }), { strategy, emptied: () => ["binaryData"] });
    expect(seen).toEqual([{}]);
    expect(stored).not.toHaveProperty("binaryData");
  });

  it("begins with what readers are not shown, and answers without it", async () => {
    const hidden: Strategy["hidden"] = {
      split: ({ secret, ...shown }) =>
        typeof secret === "string" ? { shown, hidden: { secret } } : undefined,
      join: (shown, fields) => ({ ...shown, ...fields }),
    };
    const strategy: Partial<Strategy> = { hidden, default: () => undefined };
    await using writes = await start({}, strategy);
    const setSecret = (object: ApiObject): void => {
      object["secret"] = "a";
    };
    expect(await update(writes, setSecret, { strategy, scope: { dryRun: true } })).not.toHaveProperty(
      "secret",
    );
    expect(await update(writes, setSecret, { strategy })).not.toHaveProperty("secret");
    expect(writes.get("a", writes.resource(strategy))).not.toHaveProperty("secret");
    const begun: unknown[] = [];
    const look = (object: ApiObject): void => void begun.push(object["secret"]);
    expect(await update(writes, look, { strategy })).not.toHaveProperty("secret");
    expect(begun).toEqual(["a"]);
  });

  it("is a new version and a new generation", async () => {
    await using writes = await start();
    const { metadata, ...object } = await update(writes, setData({ x: "2" }));
    expect(object["data"]).toEqual({ x: "2" });
    expect(metadata).toMatchObject({ generation: 2, resourceVersion: "3" });
    expect(writes.get("a")?.metadata).toEqual(metadata);
  });

  it("that changes nothing is no new version", async () => {
    await using writes = await start();
    const stored = writes.get("a");
    expect(await update(writes, () => undefined)).toEqual(stored);
    expect(await update(writes, setData({ x: "1" }))).toEqual(stored);
    expect(await writes.store.revision()).toBe(2);
  });

  it("of labels is no new generation, nor is one of the status", async () => {
    await using writes = await start();
    const labelled = await update(writes, ({ metadata }) => (metadata.labels = { a: "b" }));
    expect(labelled.metadata.generation).toBe(1);
    const withStatus = await update(writes, (object) => (object["status"] = { phase: "Odd" }), {
      strategy: { default: () => undefined },
    });
    expect(withStatus.metadata.generation).toBe(1);
  });

  it("keeps what a writer may leave out or not change", async () => {
    await using writes = await start();
    const before = writes.get("a")?.metadata;
    const { metadata } = await update(writes, (object) => {
      object.metadata = { name: "a", generation: 9, creationTimestamp: "2001-01-01T00:00:00Z" };
      object["data"] = { x: "2" };
    });
    expect(metadata).toEqual({ ...before, generation: 2, resourceVersion: "3" });
  });

  it("that is only tried is answered and not stored", async () => {
    await using writes = await start();
    const { metadata } = await update(writes, setData({ x: "2" }), { scope: { dryRun: true } });
    expect(metadata).toMatchObject({ generation: 2, resourceVersion: "2" });
    expect(writes.get("a")?.["data"]).toEqual({ x: "1" });
  });

  it("goes through its kind's hooks in their order, with what was there before", async () => {
    await using writes = await start();
    const calls: string[] = [];
    const hook =
      (name: string) =>
      (_object: unknown, previous?: StoredApiObject): readonly never[] => {
        calls.push(previous === undefined ? name : `${name} of ${JSON.stringify(previous["data"])}`);
        return [];
      };
    await update(writes, setData({ x: "2" }), {
      strategy: {
        default: hook("default"),
        prepareForUpdate: hook("prepare"),
        allocate: hook("allocate"),
        validate: hook("validate"),
        validateUpdate: hook("validate update"),
        warnings: hook("warnings"),
        stored: hook("stored"),
      },
    });
    const old = ' of {"x":"1"}';
    expect(calls).toEqual([
      `prepare${old}`,
      `allocate${old}`,
      "default",
      `validate${old}`,
      `validate update${old}`,
      `warnings${old}`,
      "stored",
    ]);
  });

  it("of a part is prepared and checked by the part alone, and moves no generation if that says so", async () => {
    await using writes = await start();
    const calls: string[] = [];
    const part: PartSubresource = {
      type: "part",
      verbs: ["update"],
      keepsGeneration: true,
      prepareForUpdate: () => void calls.push("prepare part"),
      validate: () => {
        calls.push("validate part");
        return [];
      },
    };
    const strategy: Partial<Strategy> = {
      prepareForUpdate: () => void calls.push("prepare"),
      validate: () => [fieldInvalid("data", 1, "is wrong")],
      validateUpdate: () => [fieldInvalid("data", 1, "is wrong")],
      warnings: () => ["odd"],
    };
    const { metadata } = await update(writes, setData({ x: "2" }), { part, strategy });
    expect(calls).toEqual(["prepare part", "validate part"]);
    expect(metadata.generation).toBe(1);
    expect(writes.warnings).toEqual([]);
  });
});

describe("an update is refused", () => {
  it.each<[string, (object: ApiObject) => void, Wish, Partial<Status>]>([
    [
      "of what is not there",
      setData({}),
      { key: { namespace: "ns", name: "b" } },
      { code: 404, reason: "NotFound", message: 'configmaps "b" not found' },
    ],
    [
      "of a version that is not the newest",
      ({ metadata }) => (metadata.resourceVersion = "1" as never),
      {},
      {
        code: 409,
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      },
    ],
    [
      "of a version that is none",
      ({ metadata }) => (metadata.resourceVersion = "x" as never),
      {},
      { code: 500, reason: undefined, message: 'strconv.ParseUint: parsing "x": invalid syntax' },
    ],
    [
      "of no version, where one is needed",
      ({ metadata }) => delete metadata.resourceVersion,
      { strategy: { unconditionalUpdate: false } },
      {
        code: 422,
        reason: "Invalid",
        message:
          'configmaps "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      },
    ],
    [
      "of another object of the same name",
      ({ metadata }) => (metadata.uid = "other" as never),
      { replaces: true, strategy: {} },
      {
        code: 409,
        reason: "Conflict",
        message: expect.stringContaining("Precondition failed: UID in precondition: other") as string,
      },
    ],
    [
      "to another name",
      ({ metadata }) => (metadata.name = "b"),
      {},
      {
        code: 422,
        reason: "Invalid",
        message: expect.stringContaining('metadata.name: Invalid value: "b": field is immutable') as string,
      },
    ],
  ])("%s", async (_name, change, wish, expected) => {
    await using writes = await start();
    expect(await refusal(update(writes, change, wish))).toEqual(expected);
    expect(await writes.store.revision()).toBe(2);
  });
});

describe("when another writer is faster", () => {
  /** Writes in between, once. */
  function interfering(writes: TestWrites, version: string | undefined): Update["change"] {
    let isFirst = true;
    return async (current) => {
      if (isFirst) {
        isFirst = false;
        await update(writes, ({ metadata }) => (metadata.labels = { by: "another" }));
      }
      const object: ApiObject = structuredClone(current);
      object["data"] = { x: "2" };
      if (version === undefined) delete object.metadata.resourceVersion;
      else object.metadata.resourceVersion = version as never;
      return object;
    };
  }

  it("a change is made again, of what is there by then", async () => {
    await using writes = await start();
    const object = await update(writes, () => undefined, { change: interfering(writes, undefined) });
    expect(object.metadata.labels).toEqual({ by: "another" });
    expect(object["data"]).toEqual({ x: "2" });
  });

  it("a change of one version is refused", async () => {
    await using writes = await start();
    const updating = update(writes, () => undefined, { change: interfering(writes, "2") });
    expect(await refusal(updating)).toMatchObject({ code: 409, reason: "Conflict" });
    expect(writes.get("a")?.["data"]).toEqual({ x: "1" });
  });
});

describe("an object that waits to go", () => {
  const going = {
    deletionTimestamp: "2026-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 0,
    finalizers: ["a.com/x", "a.com/y"],
  };

  async function startGoing(): Promise<TestWrites> {
    const writes = await startWrites();
    await writes.put(configMap({ name: "a", ...going }));
    return writes;
  }

  it("stays while a finalizer holds it", async () => {
    await using writes = await startGoing();
    await update(writes, ({ metadata }) => (metadata.finalizers = ["a.com/y"]));
    expect(writes.get("a")?.metadata.finalizers).toEqual(["a.com/y"]);
  });

  it("goes with its last finalizer, and its kind is told", async () => {
    await using writes = await startGoing();
    const removed: unknown[] = [];
    await update(writes, ({ metadata }) => delete metadata.finalizers, {
      strategy: { removed: ({ metadata }) => removed.push(metadata.name) },
    });
    expect(writes.get("a")).toBeUndefined();
    expect(removed).toEqual(["a"]);
  });

  it("stays while its kind holds it", async () => {
    await using writes = await startGoing();
    const strategy = { holdsDeletion: () => true };
    await update(writes, ({ metadata }) => delete metadata.finalizers, { strategy });
    expect(writes.get("a")).toBeDefined();
  });

  it("gets no new finalizers, and cannot be brought back", async () => {
    await using writes = await startGoing();
    const adding = update(writes, ({ metadata }) => (metadata.finalizers = ["a.com/x", "a.com/z"]));
    expect(await refusal(adding)).toMatchObject({
      code: 422,
      message: expect.stringContaining(
        "no new finalizers can be added if the object is being deleted",
      ) as string,
    });
    const { metadata } = await update(writes, (object) => {
      delete object.metadata.deletionTimestamp;
      object["data"] = { x: "2" };
    });
    expect(metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
  });
});
