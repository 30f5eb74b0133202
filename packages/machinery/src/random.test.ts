import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forkRandom, randomFrom, seededRandom } from "./random.ts";

const draw = (seed: number | string, count: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

describe("seededRandom", () => {
  test("gives the same sequence for the same seed, for ever", () => {
    const random = seededRandom(42);
    expect([random.uuid(), random.int(1000), random.int(6), random.next()]).toMatchInlineSnapshot(`
      [
        "24c3bd84-4a1c-4190-bbda-4e07bc232996",
        164,
        1,
        0.29410355501034124,
      ]
    `);
  });

  test("gives unrelated sequences for neighbouring seeds, and for a number and its text", () => {
    const firsts = [0, 1, 2, 3, "0", "1", "a", "b", "", "aa"].map((seed) => draw(seed, 1)[0]);
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  test("spreads evenly: mean, variance and neighbouring pairs are those of chance", () => {
    const values = draw("spread", 20_000);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    const rising = values.filter((value, i) => value < (values[i + 1] ?? 0)).length / values.length;
    expect(mean).toBeCloseTo(0.5, 2);
    expect(variance).toBeCloseTo(1 / 12, 2);
    expect(rising).toBeCloseTo(0.5, 1);
  });

  test("next is at least 0 and below 1 even at the edges of its source", () => {
    expect(randomFrom(() => 0).next()).toBe(0);
    expect(randomFrom(() => 0xffffffff).next()).toBeLessThan(1);
  });
});

describe("int", () => {
  test("stays below its bound", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 2 ** 32 }), (seed, bound) => {
        const value = seededRandom(seed).int(bound);
        expect(Number.isInteger(value) && value >= 0 && value < bound).toBe(true);
      }),
    );
  });

  test("draws again where taking the remainder would favour small values", () => {
    const words = [0xffffffff, 0xfffffffe, 7];
    expect(randomFrom(() => words.shift() ?? 0).int(3_000_000_000)).toBe(7);
  });

  test("reaches every value, also of the largest bound", () => {
    expect(randomFrom(() => 0xffffffff).int(2 ** 32)).toBe(0xffffffff);
    const words = [2 ** 32 - 1, 5];
    expect(randomFrom(() => words.shift() ?? 0).int(2 ** 32 - 1)).toBe(5);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 32 + 1])("refuses the bound %s", (bound) => {
    expect(() => seededRandom(1).int(bound)).toThrow(
      `random.int bound ${bound}: must be a whole number from 1 to`,
    );
  });
});

test("uuid keeps the zeros at the start of its parts", () => {
  expect(randomFrom(() => 1).uuid()).toBe("00000001-0000-4001-8000-000100000001");
});

test("uuid has the bits of version 4 and is new every time", () => {
  const random = seededRandom("uuids");
  const uuids = Array.from({ length: 500 }, () => random.uuid());
  for (const uuid of uuids) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
  }
  expect(new Set(uuids).size).toBe(uuids.length);
});

describe("forkRandom", () => {
  test("is repeatable, and another stream for another label", () => {
    const [queue, again, watch] = ["queue", "queue", "watch"].map((label) =>
      forkRandom(seededRandom(7), label).next(),
    );
    expect(again).toBe(queue);
    expect(watch).not.toBe(queue);
  });

  test("is untouched by how much a sibling draws", () => {
    const [quiet, busy] = [0, 100].map((draws) => {
      const root = seededRandom(7);
      const sibling = forkRandom(root, "sibling");
      const stream = forkRandom(root, "stream");
      for (let i = 0; i < draws; i++) sibling.next();
      return stream.next();
    });
    expect(busy).toBe(quiet);
  });
});
