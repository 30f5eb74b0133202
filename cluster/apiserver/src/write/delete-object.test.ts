import { StatusError, uid, type ObjectMeta, type Status } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import type { DeletePreferences, Strategy } from "../registry/types.ts";
import { deleteObject, type Deleted } from "./delete-object.ts";
import type { WriteScope } from "./scope.ts";
import { configMap, startWrites, type TestWrites } from "./testing/start-writes.ts";

/** A kind that waits for somebody, as pods do for their node. */
const waits: Partial<Strategy> = { gracePeriod: (_object, asked) => asked ?? 30 };

async function start(metadata: ObjectMeta = {}): Promise<TestWrites> {
  const writes = await startWrites();
  await writes.put(configMap({ name: "a", uid: uid("u-1"), generation: 1, ...metadata }));
  return writes;
}

interface Wish {
  readonly preferences?: DeletePreferences;
  readonly strategy?: Partial<Strategy>;
  readonly scope?: Partial<WriteScope>;
}

async function remove(
  writes: TestWrites,
  { preferences = {}, strategy, scope }: Wish = {},
): Promise<Deleted> {
  return await deleteObject(writes.scope(writes.resource(strategy), scope), {
    key: { namespace: "ns", name: "a" },
    preferences,
  });
}

async function refusal(deleting: Promise<unknown>): Promise<Partial<Status>> {
  const error: unknown = await deleting.catch((reason: unknown) => reason);
  if (!(error instanceof StatusError)) throw new Error("it was not refused");
  const { code, reason, message } = error.status;
  return { code, reason, message };
}

describe("a deletion", () => {
  it("removes at once what nothing holds, and tells its kind", async () => {
    await using writes = await start();
    const removed: unknown[] = [];
    const { gone, object } = await remove(writes, {
      strategy: { removed: ({ metadata }) => removed.push(metadata.name) },
    });
    expect([gone, object.metadata.deletionTimestamp, removed]).toEqual([true, undefined, ["a"]]);
    expect(writes.get("a")).toBeUndefined();
  });

  it("marks what a finalizer holds, as a new generation", async () => {
    await using writes = await start({ finalizers: ["a.com/x"] });
    const { gone } = await remove(writes);
    expect(gone).toBe(false);
    expect(writes.get("a")?.metadata).toMatchObject({
      deletionTimestamp: expect.any(String) as string,
      deletionGracePeriodSeconds: 0,
      generation: 2,
      finalizers: ["a.com/x"],
    });
  });

  it("marks what its kind holds", async () => {
    await using writes = await start();
    expect((await remove(writes, { strategy: { holdsDeletion: () => true } })).gone).toBe(false);
  });

  it("that is only tried changes nothing", async () => {
    await using writes = await start();
    expect((await remove(writes, { scope: { dryRun: true } })).gone).toBe(true);
    expect(writes.get("a")?.metadata.deletionTimestamp).toBeUndefined();
  });

  it.each<[DeletePreferences["propagationPolicy"], readonly string[], readonly string[] | undefined]>([
    ["Foreground", [], ["foregroundDeletion"]],
    ["Orphan", [], ["orphan"]],
    ["Orphan", ["a.com/x", "foregroundDeletion"], ["a.com/x", "orphan"]],
    ["Background", ["orphan", "a.com/x"], ["a.com/x"]],
    [undefined, ["orphan"], ["orphan"]],
    ["Background", ["orphan"], undefined],
  ])("with the policy %s makes of the finalizers %j: %j", async (propagationPolicy, finalizers, left) => {
    await using writes = await start({ finalizers: [...finalizers] });
    await remove(writes, { preferences: propagationPolicy === undefined ? {} : { propagationPolicy } });
    expect(writes.get("a")?.metadata.finalizers).toEqual(left);
  });

  it("gives time to what waits, from now on", async () => {
    await using writes = await start();
    const { gone, object } = await remove(writes, { strategy: waits });
    expect(gone).toBe(false);
    const { deletionTimestamp = "", deletionGracePeriodSeconds } = object.metadata;
    expect(deletionGracePeriodSeconds).toBe(30);
    expect(Date.parse(deletionTimestamp) - writes.clock.now()).toBeGreaterThan(28_000);
  });

  it("for the second time shortens the time, and never lengthens it", async () => {
    await using writes = await start();
    const first = await remove(writes, { strategy: waits });
    const longer = await remove(writes, { strategy: waits, preferences: { gracePeriodSeconds: 60 } });
    expect(longer.object).toEqual(writes.get("a"));
    const shorter = await remove(writes, { strategy: waits, preferences: { gracePeriodSeconds: 10 } });
    expect(shorter.object.metadata.deletionGracePeriodSeconds).toBe(10);
    const moved =
      Date.parse(first.object.metadata.deletionTimestamp ?? "") -
      Date.parse(shorter.object.metadata.deletionTimestamp ?? "");
    expect(moved).toBe(20_000);
    const now = await remove(writes, { strategy: waits, preferences: { gracePeriodSeconds: 0 } });
    expect(now.gone).toBe(true);
    expect(writes.get("a")).toBeUndefined();
  });

  it("asks its kind first, which may refuse", async () => {
    await using writes = await start();
    const strategy = {
      prepareForDelete: () => {
        throw new Error("not this one");
      },
    };
    await expect(remove(writes, { strategy })).rejects.toThrow("not this one");
    expect(writes.get("a")).toBeDefined();
  });
});

describe("a deletion is refused", () => {
  it.each<[string, DeletePreferences, Partial<Status>]>([
    [
      "of another object of the same name",
      { uid: "u-2" },
      {
        code: 409,
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (u-2) does not match the UID in record (u-1). The object might have been deleted and then recreated',
      },
    ],
    [
      "of another version",
      { resourceVersion: "1" },
      {
        code: 409,
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
      },
    ],
  ])("%s", async (_name, preferences, expected) => {
    await using writes = await start();
    expect(await refusal(remove(writes, { preferences }))).toEqual(expected);
    expect(writes.get("a")).toBeDefined();
  });

  it("of what is not there", async () => {
    await using writes = await startWrites();
    expect(await refusal(remove(writes))).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
  });
});
