import { everything, selectorToString } from "@kedge/machinery";
import { expect, it } from "vitest";
import { withOwnLabels } from "./affinity-term.ts";

it("a selector asks for the labels that the pod has, not for those that objects inherit", () => {
  const selector = withOwnLabels(everything(), ["hash", "constructor", "other"], { hash: "a1" });
  expect(selectorToString(selector)).toBe("hash in (a1)");
});
