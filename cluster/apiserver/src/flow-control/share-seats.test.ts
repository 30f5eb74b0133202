import fc from "fast-check";
import { expect, it } from "vitest";
import { shareSeats, type Claim } from "./share-seats.ts";

it.each<[string, number, readonly (readonly [number, number, number])[], readonly number[]]>([
  [
    "in proportion",
    60,
    [
      [0, 100, 10],
      [0, 100, 20],
    ],
    [20, 40],
  ],
  [
    "at least its least",
    60,
    [
      [50, 100, 50],
      [0, 100, 500],
    ],
    [50, 10],
  ],
  [
    "at most its most",
    60,
    [
      [0, 10, 50],
      [0, 100, 10],
    ],
    [10, 50],
  ],
  [
    "its least when there is too little",
    10,
    [
      [8, 10, 8],
      [8, 10, 8],
    ],
    [8, 8],
  ],
  [
    "its most when there is too much",
    100,
    [
      [1, 10, 1],
      [1, 20, 1],
    ],
    [10, 20],
  ],
  [
    "alike when nobody wants any",
    10,
    [
      [0, 10, 0],
      [0, 10, 0],
    ],
    [5, 5],
  ],
  ["nothing when there is none", 0, [], []],
])("gives each %s", (_what, seats, claims, expected) => {
  const given = shareSeats(
    seats,
    claims.map(([least, most, wanted]) => ({ least, most, wanted })),
  );
  expect(given.map((each) => Math.round(each * 1000) / 1000)).toEqual(expected);
});

it("gives all there are, within the bounds of each, and more to who wants more", () => {
  const claim = fc
    .tuple(fc.nat(100), fc.nat(100), fc.nat(300))
    .map(([least, more, wanted]): Claim => ({ least, most: least + more, wanted: Math.max(least, wanted) }));
  fc.assert(
    fc.property(fc.array(claim, { minLength: 1, maxLength: 20 }), fc.nat(1000), (claims, seats) => {
      const given = shareSeats(seats, claims);
      const [least, most] = [
        claims.reduce((sum, each) => sum + each.least, 0),
        claims.reduce((sum, each) => sum + each.most, 0),
      ];
      const all = given.reduce((sum, each) => sum + each, 0);
      expect(all).toBeCloseTo(Math.max(least, Math.min(most, seats)), 3);
      claims.forEach((each, i) => {
        expect(given[i]).toBeGreaterThanOrEqual(each.least);
        expect(given[i]).toBeLessThanOrEqual(each.most);
      });
    }),
  );
});
