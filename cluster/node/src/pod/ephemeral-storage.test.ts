import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { containerNamed, podOf } from "../testing/pods.ts";
import { limitsStorage, storageExceeded } from "./ephemeral-storage.ts";

const limited = (name: string, limit: string) =>
  containerNamed(name, { resources: { limits: { "ephemeral-storage": limit } } });
const volumes = [
  { name: "scratch", emptyDir: { sizeLimit: "1Mi" } },
  { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Ki" } },
];
const used = (volume: number, containers: Readonly<Record<string, number>>) => ({
  volumes: new Map([["scratch", volume]]),
  containers: new Map(Object.entries(containers)),
});
const mebi = 1 << 20;

it.each<[string, Partial<PodSpec>, ReturnType<typeof used>, string | undefined]>([
  ["nothing is limited", {}, used(9 * mebi, { app: 9 * mebi }), undefined],
  [
    "within the limits",
    { volumes, containers: [limited("app", "2Mi")] },
    used(mebi, { app: mebi }),
    undefined,
  ],
  [
    "a volume is too large",
    { volumes },
    used(mebi + 1, {}),
    'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
  ],
  [
    "all of it together is too large",
    { volumes, containers: [limited("app", "1Mi"), limited("side", "500Ki")] },
    used(mebi, { app: mebi, side: 0 }),
    "Pod ephemeral local storage usage exceeds the total limit of containers 1524Ki. ",
  ],
  [
    "one container is too large, though all together are not",
    { containers: [limited("app", "1Mi"), limited("side", "5Mi")] },
    used(0, { app: mebi + 1, side: 0 }),
    'Container app exceeded its local ephemeral storage limit "1Mi". ',
  ],
  [
    "an init container may have more than the others",
    { containers: [limited("app", "1Mi")], initContainers: [limited("init", "3Mi")] },
    used(0, { init: 2 * mebi }),
    undefined,
  ],
])("%s", (_title, spec, use, expected) => {
  expect(storageExceeded(podOf({ spec }), use)).toBe(expected);
});

it.each<[string, Partial<PodSpec>, boolean]>([
  ["a plain pod", { volumes: [{ name: "scratch", emptyDir: {} }] }, false],
  ["a volume in memory, which tmpfs limits", { volumes: volumes.slice(1) }, false],
  ["a volume with a limit", { volumes }, true],
  ["a container with one", { containers: [limited("app", "1Mi")] }, true],
])("measures %s: %s", (_title, spec, expected) => {
  expect(limitsStorage(podOf({ spec }))).toBe(expected);
});
