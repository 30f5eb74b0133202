import { expect, it } from "vitest";
import { createPodCgroups, type CgroupFolders } from "./pod-cgroups.ts";

/** Groups as the kernel has them: one with others below it, or in use, stays. */
function folders(groups: Set<string>, busy: Set<string> = new Set()): CgroupFolders {
  return {
    remove(group) {
      const isEmpty = ![...groups].some((one) => one.startsWith(`${group}/`)) && !busy.has(group);
      if (isEmpty) groups.delete(group);
      return !groups.has(group);
    },
    below: (group) =>
      [...groups]
        .flatMap((one) => (one.startsWith(`${group}/`) ? one.slice(group.length + 1) : []))
        .filter((one) => !one.includes("/")),
  };
}

it("goes with its last container, also while a container of another pod is being made", async () => {
  const groups = new Set(["kedge", "kedge/poda", "kedge/podb"]);
  const cgroups = createPodCgroups("kedge", { ...folders(groups), below: () => [] });
  await cgroups.making("b", async () => {
    cgroups.left("a");
    expect([...groups]).toEqual(["kedge", "kedge/podb"]);
    cgroups.left("b");
    // It is about to be entered.
    expect([...groups]).toEqual(["kedge", "kedge/podb"]);
    groups.add("kedge/podb/container");
  });
  expect([...groups]).toEqual(["kedge", "kedge/podb", "kedge/podb/container"]);
  groups.delete("kedge/podb/container");
  cgroups.left("b");
  expect([...groups]).toEqual([]);
});

it("goes later when the kernel does not let it go at once", () => {
  const groups = new Set(["kedge", "kedge/poda"]);
  const busy = new Set(["kedge/poda"]);
  const cgroups = createPodCgroups("kedge", folders(groups, busy));
  cgroups.left("a");
  expect([...groups]).toEqual(["kedge", "kedge/poda"]);
  busy.clear();
  cgroups.left("another");
  expect([...groups]).toEqual([]);
});

it("goes at the next start when its node was killed before", () => {
  const groups = new Set(["kedge", "kedge/poda", "kedge/podb", "kedge/podb/container"]);
  createPodCgroups("kedge", folders(groups));
  expect([...groups]).toEqual(["kedge", "kedge/podb", "kedge/podb/container"]);
});
