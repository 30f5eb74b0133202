import { describe, expect, it } from "vitest";
import { instanceOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { serversOf, type PlayedServer } from "../testing/servers.ts";
import { nextToReplace } from "./roll.ts";

const old = { revision: "r0" } as const;

function next(
  servers: readonly PlayedServer[],
  more: { readonly generation?: number } = {},
): string | undefined {
  const statefulSet = statefulSetFor(instanceOf({ replicas: 3 }), rolledOut(3), more.generation);
  return nextToReplace({
    statefulSet,
    servers: serversOf(...servers),
    primary: "cache-0",
    wanted: servers.length,
  })?.pod;
}

const unasked = { fails: "UNREACHABLE", isReady: true } as const;

describe("a roll", () => {
  it.each<[string, readonly PlayedServer[], string | undefined]>([
    ["begins with the replica of the highest ordinal", [old, old, old], "cache-2"],
    ["goes on when that is in sync", [old, old, {}], "cache-1"],
    ["waits until it is", [old, old, { isUp: false }], undefined],
    ["waits until it is ready", [old, old, { isReady: false }], undefined],
    ["stops at a new pod that does not come to work", [old, old, { fails: "REFUSED" }], undefined],
    ["leaves a primary alone until it has handed over", [old, {}, {}], undefined],
    [
      "replaces what does not work first, whatever else does not",
      [old, { ...old, fails: "REFUSED" }, { fails: "REFUSED" }],
      "cache-1",
    ],
    ["waits for a pod that is being stopped", [old, old, { isDeleting: true }], undefined],
    ["is over", [{}, {}, {}], undefined],
    ["of a server without replicas replaces it", [old], "cache-0"],
    [
      "goes by readiness when nobody answers",
      [
        { ...old, ...unasked },
        { ...old, ...unasked },
      ],
      "cache-1",
    ],
    ["ends with the primary then", [{ ...old, ...unasked }, unasked], "cache-0"],
  ])("%s", (_what, servers, expected) => {
    expect(next(servers)).toBe(expected);
  });

  it("waits for the StatefulSet's controller to see the template", () => {
    expect(next([old, old], { generation: 2 })).toBeUndefined();
  });
});
