import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { port, portOrName } from "./values.ts";

/** A probe of a container. */
export function probe(choose: Chooser, { liveness = false } = {}): JsonObject {
  const seconds = (...right: readonly number[]) => [15, () => choose.one(right, [-1, -3])] as const;
  return {
    ...action(choose, {
      grpc: () =>
        choose.fields({ port: [100, () => port(choose)], service: [25, () => choose.one(["", "x"])] }),
    }),
    ...choose.fields({
      periodSeconds: seconds(0, 1, 5),
      initialDelaySeconds: seconds(0, 5),
      timeoutSeconds: seconds(0, 2),
      failureThreshold: seconds(0, 4),
      successThreshold: [10, () => (liveness ? choose.one([0, 1], [2, -1]) : choose.one([1, 2], [-1]))],
      terminationGracePeriodSeconds: [liveness ? 8 : 2, () => choose.one([5], [0, -1])],
    }),
  };
}

/** What runs when a container starts or stops. */
export function lifecycle(choose: Chooser): JsonObject {
  const sleep = () => ({ seconds: choose.one([1, 5], [0, 100, -1]) });
  return choose.fields({
    preStop: [60, () => action(choose, { sleep })],
    postStart: [40, () => action(choose, { sleep })],
  });
}

/** One way to act on a container; as a fault none or two. */
function action(choose: Chooser, more: Readonly<Record<string, () => JsonObject>>): JsonObject {
  const ways: Readonly<Record<string, () => JsonObject>> = {
    exec: () => choose.fields({ command: [100, () => choose.one([["x"], ["sh", "-c", "a b"]])] }),
    httpGet: () => ({
      port: portOrName(choose),
      ...choose.fields({
        path: [40, () => choose.one(["/", "/a?b=c", "x"])],
        scheme: [15, () => choose.one(["HTTP", "HTTPS"], ["FTP", "http"])],
        host: [10, () => choose.one(["a.b", ""])],
        httpHeaders: [15, () => [{ name: choose.one(["X-A", "accept"], ["a b", ""]), value: "1" }]],
      }),
    }),
    tcpSocket: () => ({ port: portOrName(choose) }),
    ...more,
  };
  const names = Object.keys(ways);
  const chosen = choose.isFaulty
    ? choose.one([[], names.slice(0, 2), names.slice(1, 3)])
    : [choose.one(names)];
  return Object.fromEntries(chosen.map((name) => [name, ways[name]?.()]));
}
