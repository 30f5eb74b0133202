import { expect, it } from "vitest";
import { addCounts } from "./counts.ts";

const counted = (message: string): { type: string; message: string } => ({ type: "count", message });

it.each([
  { what: "nothing", annotations: [], text: "" },
  {
    what: "each unit by itself",
    annotations: [counted("12 comparisons"), counted("1 page"), counted("5 comparisons")],
    text: "17 comparisons, 1 page",
  },
  {
    what: "only counts",
    annotations: [{ type: "notice", message: "12 comparisons" }, counted("many comparisons")],
    text: "",
  },
])("adds up $what", ({ annotations, text }) => {
  expect(addCounts(annotations)).toBe(text);
});
