import type { PodStatus } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { instanceOf, podOf } from "../testing/builders.ts";
import { heldPrimary } from "./held-primary.ts";

const held = { exitCode: 90, finishedAt: "2026-11-16T10:00:05Z", message: "cache-0 has no data.\n" };

function statusOf(last: object, ready: { status: string; lastTransitionTime: string }): PodStatus {
  const container = { name: "redis", image: "", imageID: "", ready: false, restartCount: 1 };
  return {
    conditions: [{ type: "Ready", ...ready }],
    containerStatuses: [{ ...container, ...last }],
  };
}

const never = { status: "False", lastTransitionTime: "2026-11-16T10:00:00Z" };

describe("a primary that must not serve", () => {
  it("is told with what to type, while it waits", () => {
    const pods = [podOf("cache-0", statusOf({ lastState: { terminated: held } }, never))];
    expect(heldPrimary({ instance: instanceOf(), peers: undefined, pods })).toBe(
      "The primary is not started, because its replicas would lose their data to it: cache-0 has no data." +
        " So it was at 2026-11-16T10:00:05Z; what it has found since: kubectl logs -n shop cache-0 -c redis --tail=1" +
        " As soon as its container runs, decide. To take a replica's data: kubectl exec -n shop cache-0 -c redis -- sh -c 'echo restore > /run/redis/decision'" +
        " To go on without it, for good: kubectl exec -n shop cache-0 -c redis -- sh -c 'echo discard > /run/redis/decision'",
    );
  });

  it("names the pods that were scaled away", () => {
    const pods = [podOf("cache-0", statusOf({ lastState: { terminated: held } }, never))];
    const peers = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...podOf("cache.peers", {}).metadata },
      data: { replicas: "3" },
    };
    const way = "kubectl scale -n shop redisinstance cache --replicas=3";
    expect(heldPrimary({ instance: instanceOf({ replicas: 1 }), pods, peers })).toContain(way);
    expect(heldPrimary({ instance: instanceOf({ replicas: 3 }), pods, peers })).not.toContain(way);
  });

  it.each([
    ["it has just ended", true, statusOf({ state: { terminated: held } }, never)],
    ["it is ready", false, statusOf({ lastState: { terminated: held } }, { ...never, status: "True" })],
    [
      "it was ready since, and is not for another reason",
      false,
      statusOf({ lastState: { terminated: held } }, { ...never, lastTransitionTime: "2026-11-16T10:09:00Z" }),
    ],
    [
      "it ended for another reason",
      false,
      statusOf({ lastState: { terminated: { ...held, exitCode: 1 } } }, never),
    ],
  ])("is told or not when %s", (_when, expected, status) => {
    expect(
      heldPrimary({ instance: instanceOf(), peers: undefined, pods: [podOf("cache-0", status)] }) !==
        undefined,
    ).toBe(expected);
    expect(
      heldPrimary({ instance: instanceOf(), peers: undefined, pods: [podOf("cache-1", status)] }),
    ).toBeUndefined();
  });
});
