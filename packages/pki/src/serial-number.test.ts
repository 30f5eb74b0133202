import { seededRandom } from "@kedge/machinery";
import fc from "fast-check";
import { expect, it } from "vitest";
import { serialNumber } from "./serial-number.ts";

it("is a positive number of 16 bytes, whatever the seed", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      expect(serialNumber(seededRandom(seed))).toMatch(/^(?!00)[0-7][0-9a-f]{31}$/u);
    }),
  );
});
