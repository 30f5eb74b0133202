import { expect, it } from "vitest";
import { podTotal } from "./pod-total.ts";
import { quantityToString } from "./quantity-text.ts";

const asking = (cpu?: string, restartPolicy?: string) => ({ cpu, restartPolicy });

it.each([
  ["nobody asks", { containers: [asking()] }, undefined],
  ["containers run side by side", { containers: [asking("1"), asking("500m"), asking()] }, "1500m"],
  [
    "an init container asks for more than all that come after it",
    { initContainers: [asking("3")], containers: [asking("1")] },
    "3",
  ],
  [
    "sidecars run beside the containers, and beside the init containers after them",
    { initContainers: [asking("2"), asking("1", "Always"), asking("3")], containers: [asking("2")] },
    "4",
  ],
])("what a pod asks for when %s", (_, spec, total) => {
  const found = podTotal(spec, ({ cpu }) => cpu);
  expect(found && quantityToString(found)).toBe(total);
});
