import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeFrames, encodeFrame } from "./ahead-frame.ts";
import type { Operation } from "./operations.ts";

const file = 7;
const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 2000 })
  .map((array) => Buffer.from(array.map((b) => b | 1)));
const operation: fc.Arbitrary<Operation> = fc.record({
  key: fc.array(fc.oneof(fc.string(), fc.nat()), { maxLength: 3 }),
  value: fc.option(bytes, { nil: undefined }),
});
const groups = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });

describe("frames of operations", () => {
  it("are read as they were written", () => {
    fc.assert(
      fc.property(groups, (written) => {
        expect(decodeFrames(fileOf(written), file)).toEqual(written.flat());
      }),
    );
  });

  it("are left out at the end, and only there, when they were not written whole", () => {
    const property = fc.property(groups, fc.nat(), (written, cut) => {
      const whole = fileOf(written);
      const left = decodeFrames(whole.subarray(0, cut % whole.length), file);
      expect(prefixes(written)).toContainEqual(left);
    });
    fc.assert(property);
  });

  it("are left out at the end when the disk did not come to write some of their sectors", () => {
    const written = [[put("a", 100)], [put("b", 3000)]];
    const whole = fileOf(written);
    for (const sector of [1, 2, 5]) {
      const torn = Buffer.from(whole);
      torn.fill(0, sector * 512, (sector + 1) * 512);
      expect(decodeFrames(torn, file)).toEqual(written[0]);
    }
    expect(decodeFrames(Buffer.concat([fileOf([[put("a", 100)]]), Buffer.alloc(700)]), file)).toEqual(
      written[0],
    );
  });

  it("are refused when a sector is lost and there are others behind it", () => {
    const whole = fileOf([[put("a", 600)], [put("b", 600)], [put("c", 3000)]]);
    for (const sector of [0, 1, 2]) {
      const damaged = Buffer.from(whole);
      damaged.fill(0, sector * 512, (sector + 1) * 512);
      expect(decodeFrames(damaged, file)).toMatch(/^there is no record at byte|has a wrong checksum$/u);
    }
  });

  it("are refused when anything else in them is not as it was written", () => {
    const property = fc.property(groups, fc.nat(), fc.integer({ min: 0, max: 7 }), (written, at, bit) => {
      const whole = fileOf(written);
      const place = at % whole.length;
      whole[place] = (whole[place] ?? 0) ^ (1 << bit);
      expect(decodeFrames(whole, file)).toMatch(/^there is no record at byte|has a wrong checksum$/u);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("are refused in another file, at another place, and behind a damaged one", () => {
    const written = [[put("a", 100)], [put("b", 100)]];
    const whole = fileOf(written);
    expect(decodeFrames(whole, file + 1)).toBe("there is no record at byte 0");
    const second = whole.length / 2;
    expect(decodeFrames(Buffer.concat([whole, whole.subarray(second)]), file)).toBe(
      `there is no record at byte ${whole.length}`,
    );
    whole.fill(0, 30, 60);
    expect(decodeFrames(whole, file)).toBe("the record at byte 0 has a wrong checksum");
  });
});

function put(key: string, length: number): Operation {
  return { key: [key], value: Buffer.alloc(length, "x") };
}

function fileOf(written: readonly (readonly Operation[])[]): Buffer {
  let all = Buffer.alloc(0);
  for (const group of written) all = Buffer.concat([all, encodeFrame(group, { file, at: all.length })]);
  return all;
}

function prefixes(written: readonly (readonly Operation[])[]): readonly (readonly Operation[])[] {
  return Array.from({ length: written.length + 1 }, (_, count) => written.slice(0, count).flat());
}
