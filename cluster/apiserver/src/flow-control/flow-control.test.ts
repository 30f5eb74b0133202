import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { attributesOf } from "../auth/authorize.ts";
import { targetOf } from "../request/target.ts";
import { bootstrapFlows } from "./bootstrap.ts";
import { classifierOf } from "./classify.ts";
import { FlowControl, TooManyRequests, type Seat } from "./flow-control.ts";
import { handOf } from "./limited-level.ts";

function ask(name: string, groups: readonly string[], method: string, path: string) {
  const user = { name, groups: [...groups, "system:authenticated"] };
  return attributesOf(user, targetOf(method, path, new URLSearchParams()), path);
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

it.each([
  ["admin", ["system:masters"], "GET", "/api/v1/pods", "exempt", "exempt"],
  ["jane", [], "GET", "/healthz", "exempt", "probes"],
  ["jane", [], "GET", "/healthz/etcd", "global-default", "global-default"],
  ["system:node:a", ["system:nodes"], "PUT", `${leases}/a`, "node-high", "system-node-high"],
  ["system:node:a", ["system:nodes"], "PATCH", "/api/v1/nodes/a/status", "node-high", "system-node-high"],
  ["system:node:a", ["system:nodes"], "GET", "/api/v1/namespaces/a/secrets/b", "system", "system-nodes"],
  ["system:kube-scheduler", [], "PUT", `${leases}/a`, "leader-election", "system-leader-election"],
  ["system:kube-scheduler", [], "GET", "/api/v1/pods", "workload-high", "kube-scheduler"],
  [
    "system:serviceaccount:kube-system:a",
    [],
    "GET",
    "/api/v1/pods",
    "workload-high",
    "kube-system-service-accounts",
  ],
  [
    "system:serviceaccount:a:b",
    ["system:serviceaccounts"],
    "GET",
    "/api/v1/pods",
    "workload-low",
    "service-accounts",
  ],
  ["jane", [], "GET", "/api/v1/pods", "global-default", "global-default"],
])("%s %j %s %s belongs to %s by %s", (name, groups, method, path, level, schema) => {
  expect(classifierOf(bootstrapFlows)(ask(name, groups, method, path))).toMatchObject({ level, schema });
});

const list = (name: string) => ask(name, [], "GET", "/api/v1/pods");

/** What became of a request, so far. */
function asking(flows: FlowControl, name: string, objects = 1) {
  const state: { seat?: Seat | undefined; refused?: boolean } = {};
  const take = async (): Promise<void> => {
    try {
      state.seat = await flows.enter(list(name), () => objects);
    } catch (error) {
      state.refused = error instanceof TooManyRequests;
    }
  };
  return { state, done: take() };
}

it("gives each level its seats, lets the rest wait, and refuses what finds no room to wait", async () => {
  const clock = new VirtualClock();
  const flows = new FlowControl(bootstrapFlows, clock);
  const all = Array.from({ length: 400 }, () => asking(flows, "noisy"));
  await clock.settle();
  const seated = all.filter(({ state }) => state.seat !== undefined);
  const refused = all.filter(({ state }) => state.refused === true);
  // 20 of 245 shares of 600 seats; six queues of fifty.
  expect([seated.length, refused.length, flows.load("global-default")?.waiting]).toEqual([49, 51, 300]);
  // Another user waits in queues of its own, and its turn comes soon.
  const quiet = asking(flows, "quiet");
  await clock.settle();
  expect(quiet.state).toEqual({});
  for (const { state } of seated.slice(0, 14)) state.seat?.release();
  await clock.settle();
  expect(quiet.state.seat).toBeDefined();
  // Other levels do not notice.
  expect(flows.load("workload-low")).toMatchObject({ inUse: 0, waiting: 0 });
  await clock.advance(15_000);
  expect(flows.load("global-default")?.waiting).toBe(0);
  expect(all.filter(({ state }) => state.refused === true).length).toBeGreaterThan(300);
  flows.close();
});

it("counts a long list as many, and gives seats back once", async () => {
  const clock = new VirtualClock();
  const flows = new FlowControl(bootstrapFlows, clock);
  const wide = Array.from({ length: 10 }, () => asking(flows, "noisy", 10_000));
  await clock.settle();
  // Eight seats each, which is 15 % of them.
  expect(wide.filter(({ state }) => state.seat !== undefined).length).toBe(6);
  for (const { state } of wide) {
    state.seat?.release();
    state.seat?.release();
  }
  await clock.settle();
  for (const { state } of wide) state.seat?.release();
  expect(flows.load("global-default")).toEqual({ seats: 49, inUse: 0, waiting: 0 });
  flows.close();
});

it("takes seats back from a request whose answer nobody reads to its end", async () => {
  const clock = new VirtualClock();
  const flows = new FlowControl(bootstrapFlows, clock);
  const one = asking(flows, "gone");
  await clock.settle();
  expect(flows.load("global-default")?.inUse).toBe(1);
  await clock.advance(65_000);
  expect(flows.load("global-default")?.inUse).toBe(0);
  one.state.seat?.release();
  expect(flows.load("global-default")?.inUse).toBe(0);
});

it("deals each flow a hand of its own", () => {
  const hands = Array.from({ length: 200 }, (_, i) => handOf(`flow-${i}`, 128, 6));
  expect(hands.every((hand) => new Set(hand).size === 6 && hand.every((at) => at >= 0 && at < 128))).toBe(
    true,
  );
  expect(new Set(hands.map((hand) => hand.toSorted((a, b) => a - b).join())).size).toBe(200);
});
