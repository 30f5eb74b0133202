import { expect, it } from "vitest";
import { pod } from "./testing/builders.ts";
import { WaitingPods } from "./waiting-pods.ts";

it("a pod that waits comes back once, and again only when it was looked at again", () => {
  const waiting = new WaitingPods();
  waiting.add(pod("a"));
  expect(waiting.takeAll()).toEqual([{ namespace: "default", name: "a" }]);
  expect(waiting.takeAll()).toEqual([]);
  waiting.add(pod("a"));
  expect(waiting.takeAll("other")).toEqual([]);
  expect(waiting.takeAll("default")).toHaveLength(1);
});

it("a pod that has a node, or is gone, does not come back", () => {
  const waiting = new WaitingPods();
  waiting.add(pod("a"));
  waiting.remove(pod("a").metadata.uid);
  expect(waiting.takeAll()).toEqual([]);
});
