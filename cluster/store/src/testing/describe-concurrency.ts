import { VirtualClock } from "@kedge/machinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store, Write } from "../types.ts";
import { eventsUpTo, putOf, text } from "./bytes.ts";
import type { OpenStore } from "./conformance.ts";
import { disposable } from "./describe-transactions.ts";

/** Many writers at once. */
export function describeConcurrency(open: OpenStore, { inOrder }: { readonly inOrder: boolean }): void {
  describe("concurrent writers", () => {
    it("lets exactly one of many create a key", async () => {
      await using store = disposable(await open(new VirtualClock()));
      const create = (i: number) =>
        store.transaction({ compare: [{ key: "a", modRevision: 0 }], success: [putOf("a", String(i))] });
      const results = await Promise.all(Array.from({ length: 50 }, (_, i) => create(i)));
      expect(results.filter(({ succeeded }) => succeeded).length).toBe(1);
      expect(await store.revision()).toBe(2);
    });

    it("loses no increment of a counter", async () => {
      await using store = disposable(await open(new VirtualClock()));
      await Promise.all(Array.from({ length: 8 }, () => incrementTimes(store, 10)));
      expect(text(await store.get("counter"))).toBe("80");
    });

    it("shows each writer its own write", async () => {
      await using store = disposable(await open(new VirtualClock()));
      const write = async (key: string): Promise<boolean> => {
        const { revision } = await store.transaction({ success: [putOf(key, "")] });
        return (await store.get(key))?.modRevision === revision && (await store.revision()) >= revision;
      };
      const seen = await Promise.all(Array.from({ length: 20 }, (_, i) => write(`k${i}`)));
      expect(seen).toEqual(Array.from({ length: 20 }, () => true));
    });

    it("agrees with a map and a log, and every watch shows each change once, in order", async () => {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), compareWithModel(open, inOrder));
      await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined();
    });
  });
}

async function incrementTimes(store: Store, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const found = await store.get("counter");
    const result = await store.transaction({
      compare: [{ key: "counter", modRevision: found?.modRevision ?? 0 }],
      success: [putOf("counter", String(Number(text(found) ?? 0) + 1))],
    });
    if (result.succeeded) done++;
  }
}

const key = fc.constantFrom("a", "a/1", "a/2", "b", "b/1");
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("put" as const), key, value: fc.string({ maxLength: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("delete" as const), key }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("create" as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("watch" as const), prefix: fc.constantFrom("", "a/", "b") }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("settle" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Steps are started without waiting for one another, if the store does them in that order as the model does. */
function compareWithModel(open: OpenStore, inOrder: boolean): (steps: readonly Step[]) => Promise<void> {
  return async (steps) => {
    await using store = disposable(await open(new VirtualClock()));
    const model = new Map<string, string>();
    const log: { readonly revision: number; readonly key: string; readonly line: string }[] = [];
    const states = new Map([[1, ""]]);
    const watches: {
      readonly prefix: string;
      readonly from: number;
      readonly events: () => Promise<readonly string[]>;
    }[] = [];
    let running: Promise<unknown>[] = [];
    let revision = 1;
    const write = (
      change: Write,
      isWanted: boolean,
      compare?: { key: string; modRevision: number },
    ): void => {
      const before = model.get(change.key);
      if (isWanted && (change.type === "put" || before !== undefined)) {
        revision++;
        const was = before === undefined ? "" : ` was ${before}`;
        const value = change.type === "put" ? new TextDecoder().decode(change.value) : "";
        if (change.type === "put") model.set(change.key, value);
        else model.delete(change.key);
        const what = change.type === "put" ? `put ${change.key}=${value}` : `delete ${change.key}`;
        log.push({ revision, key: change.key, line: `${revision} ${what}${was}` });
        states.set(revision, stateText(model));
      }
      const expected = { succeeded: isWanted, revision };
      const result = store.transaction({ success: [change], ...(compare && { compare: [compare] }) });
      running.push(result.then((answer) => expect(answer).toMatchObject(expected)));
    };
    for (const next of steps) {
      if (!inOrder) await Promise.all(running);
      if (next.type === "put") write(putOf(next.key, next.value), true);
      else if (next.type === "delete") write({ type: "delete", key: next.key }, true);
      else if (next.type === "create")
        write(putOf(next.key, "new"), !model.has(next.key), { key: next.key, modRevision: 0 });
      else if (next.type === "watch") {
        const isQuiet = running.length === 0;
        const from = (await store.revision()) + 1;
        // Where a watch without `from` begins is known only while nothing is written.
        const watch = store.watch({ prefix: next.prefix }, isQuiet ? {} : { from });
        watches.push({ prefix: next.prefix, from, events: () => eventsUpTo(watch, revision) });
      } else {
        await Promise.all(running);
        running = [];
      }
    }
    await Promise.all(running);
    expect(await store.revision()).toBe(revision);
    for (const [at, expected] of states) {
      const { items } = await store.range({ prefix: "" }, { revision: at });
      expect(items.map((item) => `${item.key}=${text(item)}`).join("\n")).toBe(expected);
    }
    watches.push({
      prefix: "",
      from: 2,
      events: () => eventsUpTo(store.watch({ prefix: "" }, { from: 2 }), revision),
    });
    for (const { prefix, from, events } of watches) {
      const expected = log.filter((entry) => entry.revision >= from && entry.key.startsWith(prefix));
      expect(await events()).toEqual(expected.map(({ line }) => line));
    }
  };
}

function stateText(model: ReadonlyMap<string, string>): string {
  return [...model]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
