import type { FlowConfig, FlowRule, FlowSchema, FlowSubject, PriorityLevel, ResourceRule } from "./types.ts";

const kubeSystem: FlowSubject = { kind: "ServiceAccount", namespace: "kube-system", name: "*" };

const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], clusterScope: false };

/** The levels and schemas that kube-apiserver 1.36 makes when there are none. */
export const bootstrapFlows: FlowConfig = {
  levels: [
    { name: "exempt", type: "Exempt" },
    level("system", 30, 64),
    level("node-high", 40, 64),
    { name: "leader-election", type: "Limited", shares: 10, queuing: queuing(16, 4) },
    level("workload-high", 40, 128),
    level("workload-low", 100, 128),
    level("global-default", 20, 128),
    { name: "catch-all", type: "Limited", shares: 5 },
  ],
  schemas: [
    schema({ name: "exempt", level: "exempt", precedence: 1 }, [everything(groups("system:masters"))]),
    schema({ name: "probes", level: "exempt", precedence: 2 }, [
      {
        subjects: everybody(),
        resourceRules: [],
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
      },
    ]),
    schema(
      { name: "system-leader-election", level: "leader-election", precedence: 100, distinguisher: "ByUser" },
      [resources([...controllers(), kubeSystem], { ...leases, verbs: ["get", "create", "update"] })],
    ),
    schema({ name: "system-node-high", level: "node-high", precedence: 400, distinguisher: "ByUser" }, [
      resources(groups("system:nodes"), {
        verbs: ["*"],
        apiGroups: [""],
        resources: ["nodes", "nodes/status"],
        clusterScope: true,
      }),
      resources(groups("system:nodes"), { ...leases, verbs: ["*"] }),
    ]),
    schema({ name: "system-nodes", level: "system", precedence: 500, distinguisher: "ByUser" }, [
      everything(groups("system:nodes")),
    ]),
    schema(
      {
        name: "kube-controller-manager",
        level: "workload-high",
        precedence: 800,
        distinguisher: "ByNamespace",
      },
      [everything([{ kind: "User", name: "system:kube-controller-manager" }])],
    ),
    schema(
      { name: "kube-scheduler", level: "workload-high", precedence: 800, distinguisher: "ByNamespace" },
      [everything([{ kind: "User", name: "system:kube-scheduler" }])],
    ),
    schema(
      {
        name: "kube-system-service-accounts",
        level: "workload-high",
        precedence: 900,
        distinguisher: "ByNamespace",
      },
      [everything([kubeSystem])],
    ),
    schema({ name: "service-accounts", level: "workload-low", precedence: 9000, distinguisher: "ByUser" }, [
      everything(groups("system:serviceaccounts")),
    ]),
    schema({ name: "global-default", level: "global-default", precedence: 9900, distinguisher: "ByUser" }, [
      everything(everybody()),
    ]),
    schema({ name: "catch-all", level: "catch-all", precedence: 10_000, distinguisher: "ByUser" }, [
      everything(everybody()),
    ]),
  ],
};

function level(name: string, shares: number, queues: number): PriorityLevel {
  return { name, type: "Limited", shares, queuing: queuing(queues, 6) };
}

function queuing(
  queues: number,
  handSize: number,
): { queues: number; handSize: number; queueLengthLimit: number } {
  return { queues, handSize, queueLengthLimit: 50 };
}

function schema(
  head: Pick<FlowSchema, "name" | "level" | "precedence"> & Partial<Pick<FlowSchema, "distinguisher">>,
  rules: readonly FlowRule[],
): FlowSchema {
  return { distinguisher: undefined, ...head, rules };
}

function everything(subjects: readonly FlowSubject[]): FlowRule {
  const all = ["*"];
  return {
    subjects,
    resourceRules: [{ verbs: all, apiGroups: all, resources: all, namespaces: all, clusterScope: true }],
    nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
  };
}

function resources(subjects: readonly FlowSubject[], rule: Omit<ResourceRule, "namespaces">): FlowRule {
  return { subjects, resourceRules: [{ ...rule, namespaces: ["*"] }], nonResourceRules: [] };
}

function groups(...names: readonly string[]): readonly FlowSubject[] {
  return names.map((name) => ({ kind: "Group", name }));
}

function everybody(): readonly FlowSubject[] {
  return groups("system:unauthenticated", "system:authenticated");
}

function controllers(): readonly FlowSubject[] {
  return ["system:kube-controller-manager", "system:kube-scheduler"].map((name) => ({ kind: "User", name }));
}
