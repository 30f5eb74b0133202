import fc from "fast-check";
import { expect, it } from "vitest";
import { ReadyHeap, type HeapEntry } from "./ready-heap.ts";

it("has the earliest first, whatever was moved up or removed", () => {
  const at = fc.nat(100);
  const changes = fc.array(fc.record({ pick: fc.nat(), earlier: fc.option(fc.nat(50)) }), {
    maxLength: 20,
    size: "max",
  });
  fc.assert(
    fc.property(fc.array(at, { maxLength: 60, size: "max" }), changes, (times, script) => {
      const heap = new ReadyHeap<HeapEntry>();
      let left = times.map((readyAt, order): HeapEntry => ({ key: `${order}`, readyAt, order, index: -1 }));
      for (const entry of left) heap.push(entry);
      for (const { pick, earlier } of script) {
        const entry = left[pick % left.length];
        if (entry === undefined) continue;
        if (earlier === null) {
          heap.remove(entry);
          left = left.filter((other) => other !== entry);
        } else {
          heap.moveUp(entry, entry.readyAt - earlier);
        }
      }
      const expected = left.toSorted((a, b) => a.readyAt - b.readyAt || a.order - b.order);
      expect(emptied(heap)).toEqual(expected.map(({ key }) => key));
    }),
    { numRuns: 500 },
  );
});

function emptied(heap: ReadyHeap<HeapEntry>): string[] {
  const keys: string[] = [];
  for (let { first } = heap; first !== undefined; { first } = heap) {
    keys.push(first.key);
    heap.remove(first);
  }
  return keys;
}
