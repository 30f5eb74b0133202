import type { Lifecycle, LifecycleHandler, Probe } from "@kedge/machinery/kinds/core/v1";
import type { Chooser } from "../fuzz/chooser.ts";

/** A probe: most succeed, some fail, some hang. */
export function probe(choose: Chooser, { once }: { readonly once: boolean }): Probe {
  return {
    ...choose.one<Probe>([
      { exec: { command: ["true"] } },
      { exec: { command: ["true"] } },
      { exec: { command: ["false"] } },
      { exec: { command: ["sleep", "60"] } },
      { exec: { command: ["/no/such/program"] } },
      { tcpSocket: { port: 80 } },
      { httpGet: { port: 80, path: "/x" } },
      { httpGet: { port: "web" } },
      { httpGet: { port: 81, scheme: "HTTPS" } },
      { grpc: { port: 80 } },
    ]),
    periodSeconds: 1,
    ...(choose.maybe(30) && { timeoutSeconds: 2 }),
    ...(choose.maybe(30) && { initialDelaySeconds: choose.one([1, 2]) }),
    ...(choose.maybe(60) && { failureThreshold: choose.one([1, 2, 30]) }),
    ...(!once && choose.maybe(20) && { successThreshold: 2 }),
    ...(once && choose.maybe(20) && { terminationGracePeriodSeconds: 1 }),
  };
}

/** What happens after a start and before a stop. */
export function lifecycle(choose: Chooser): Lifecycle {
  return {
    ...(choose.maybe() && { postStart: handler(choose) }),
    ...(choose.maybe() && { preStop: handler(choose) }),
  };
}

function handler(choose: Chooser): LifecycleHandler {
  return choose.one<LifecycleHandler>([
    { exec: { command: ["true"] } },
    { exec: { command: ["sh", "-c", "echo hello > /proc/1/fd/1"] } },
    { exec: { command: ["false"] } },
    { exec: { command: ["sh", "-c", "trap '' TERM; sleep 100"] } },
    { exec: { command: ["/no/such/program"] } },
    { sleep: { seconds: 1 } },
    { sleep: { seconds: 0 } },
    { httpGet: { port: 80, path: "/" } },
    { httpGet: { port: 9, host: "127.0.0.1" } },
    { tcpSocket: { port: 80 } },
  ]);
}
