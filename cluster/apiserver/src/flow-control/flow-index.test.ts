import { realClock, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import type { FlowControl } from "./flow-control.ts";
import { ask, bootstrapped, everythingOf, levelObject, schemaObject, setObject } from "./testing/flows.ts";

const flowOf = (flows: FlowControl, ...asked: Parameters<typeof ask>): unknown => {
  const admitted = flows.enter({ attributes: ask(...asked), objects: () => 1 });
  return "flow" in admitted ? admitted.flow : "waits";
};

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

it.each([
  ["admin", ["system:masters"], "GET", "/api/v1/pods", "exempt", "exempt"],
  ["jane", [], "GET", "/healthz", "exempt", "probes"],
  ["jane", [], "GET", "/healthz/etcd", "exempt", "probes"],
  ["jane", [], "GET", "/healthzz", "global-default", "global-default"],
  ["jane", [], "POST", "/healthz", "global-default", "global-default"],
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
])("in every cluster %s %j %s %s belongs to %s by %s", (name, groups, method, path, level, schema) => {
  const flows = bootstrapped(new VirtualClock());
  expect(flowOf(flows, name, groups, method, path)).toEqual({ level, schema });
  flows.close();
});

const user = (name: string): object => ({ kind: "User", user: { name } });
const group = (name: string): object => ({ kind: "Group", group: { name } });
const account = (namespace: string, name: string): object => ({
  kind: "ServiceAccount",
  serviceAccount: { namespace, name },
});
const rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true };
const pods = "/api/v1/namespaces/a/pods";

it.each([
  ["a user by name", [user("jane")], {}, "jane", "GET", pods, true],
  ["another user", [user("joe")], {}, "jane", "GET", pods, false],
  ["every user", [user("*")], {}, "jane", "GET", pods, true],
  ["every group", [group("*")], {}, "jane", "GET", pods, true],
  ["a group", [group("dev")], {}, "jane", "GET", pods, true],
  ["a service account", [account("a", "b")], {}, "system:serviceaccount:a:b", "GET", pods, true],
  ["another one", [account("a", "c")], {}, "system:serviceaccount:a:b", "GET", pods, false],
  ["all of a namespace", [account("a", "*")], {}, "system:serviceaccount:a:b", "GET", pods, true],
  [
    "all of a namespace that begins alike",
    [account("a", "*")],
    {},
    "system:serviceaccount:ab:b",
    "GET",
    pods,
    false,
  ],
  ["a verb", [user("jane")], { verbs: ["list"] }, "jane", "GET", pods, true],
  ["another verb", [user("jane")], { verbs: ["list"] }, "jane", "POST", pods, false],
  ["another group of resources", [user("jane")], { apiGroups: ["apps"] }, "jane", "GET", pods, false],
  ["a resource", [user("jane")], { resources: ["pods"] }, "jane", "GET", `${pods}/x/status`, false],
  ["a subresource", [user("jane")], { resources: ["pods/status"] }, "jane", "GET", `${pods}/x/status`, true],
  ["another namespace", [user("jane")], { namespaces: ["b"] }, "jane", "GET", pods, false],
  [
    "all namespaces by their list",
    [user("jane")],
    { namespaces: ["a"], clusterScope: false },
    "jane",
    "GET",
    "/api/v1/pods",
    false,
  ],
  ["the cluster", [user("jane")], { namespaces: [] }, "jane", "GET", "/api/v1/nodes", true],
  [
    "a namespace itself",
    [user("jane")],
    { namespaces: ["a"], clusterScope: false },
    "jane",
    "GET",
    "/api/v1/namespaces/a",
    true,
  ],
  ["no path", [user("jane")], {}, "jane", "GET", "/version", false],
])("a rule for %s", (_what, subjects, more, name, method, path, isMatch) => {
  const flows = bootstrapped(new VirtualClock());
  const rules = [{ subjects, resourceRules: [{ ...rule, ...more }] }];
  setObject(flows, schemaObject("mine", "workload-low", { matchingPrecedence: 3, rules }));
  const mine = { schema: "mine", level: "workload-low" };
  const asked = flowOf(flows, name, ["dev"], method, path);
  expect(JSON.stringify(asked) === JSON.stringify(mine)).toBe(isMatch);
  flows.close();
});

it("takes the lowest precedence, then the first name, and passes over schemas whose level is not there", () => {
  const flows = bootstrapped(new VirtualClock());
  const set = (name: string, level: string, matchingPrecedence: number): void =>
    setObject(flows, schemaObject(name, level, { matchingPrecedence, rules: [everythingOf(user("jane"))] }));
  const now = (): unknown => flowOf(flows, "jane", [], "GET", pods);
  set("c", "workload-low", 500);
  set("b", "workload-low", 500);
  expect(now()).toMatchObject({ schema: "b" });
  set("a", "mine", 400);
  expect(now()).toMatchObject({ schema: "b" });
  setObject(flows, levelObject("mine", { nominalConcurrencyShares: 5 }));
  expect(now()).toEqual({ schema: "a", level: "mine" });
  set("a", "mine", 600);
  expect(now()).toMatchObject({ schema: "b" });
  flows.deleteSchema("b");
  flows.deleteSchema("c");
  expect(now()).toMatchObject({ schema: "a" });
  flows.deleteLevel("mine");
  expect(now()).toMatchObject({ schema: "global-default" });
  flows.close();
});

it("answers as fast among ten thousand rules that do not match, after the first time", () => {
  const flows = bootstrapped(new VirtualClock());
  for (let i = 0; i < 1000; i++) {
    const resourceRules = Array.from({ length: 10 }, (_, at) => ({ ...rule, namespaces: [`n-${i}-${at}`] }));
    const rules = [{ subjects: [group("system:authenticated")], resourceRules: [...resourceRules] }];
    setObject(flows, schemaObject(`s-${i}`, "workload-low", { matchingPrecedence: 3, rules }));
  }
  const time = (count: number, path: (i: number) => string): number => {
    const start = realClock.monotonic();
    for (let i = 0; i < count; i++) flowOf(flows, "admin", ["system:masters"], "GET", path(i));
    for (let i = 0; i < count; i++)
      expect(flowOf(flows, "system:kube-scheduler", [], "PUT", path(i))).not.toBe("waits");
    return (realClock.monotonic() - start) / count / 2;
  };
  const first = time(20, (i) => `/api/v1/namespaces/new-${i}/pods/p`);
  const again = time(20, (i) => `/api/v1/namespaces/new-${i}/pods/p`);
  process.stdout.write(`a match among 10,000 rules: ${first.toFixed(3)} ms, again ${again.toFixed(3)} ms\n`);
  expect(first).toBeLessThan(100);
  expect(again).toBeLessThan(first);
  flows.close();
});
