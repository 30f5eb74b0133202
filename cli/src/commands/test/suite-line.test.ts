import { expect, it } from "vitest";
import type { Terminal } from "../../terminal/terminal.ts";
import { suiteLine } from "./suite-line.ts";

const plain: Terminal = {
  print: () => undefined,
  waitFor: () => undefined,
  clear: () => undefined,
  style: (_format, text) => text,
};
const suite = {
  name: "e2e/differential",
  detail: "3 tests",
  tally: { passed: 3, failed: [], skipped: [] },
  ms: 1234,
};

it.each([
  { what: "nothing more", counts: "", end: /3 tests +1\.2s\n$/u },
  {
    what: "what its tests have counted",
    counts: "17 comparisons",
    end: /3 tests +1\.2s {2}17 comparisons\n$/u,
  },
])("ends with the time and $what", ({ counts, end }) => {
  expect(suiteLine({ ...suite, counts }, plain)).toMatch(end);
});
