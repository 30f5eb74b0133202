import type {
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
  Subject,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import type { ApiObject } from "../../registry/types.ts";

/** The flow schemas and priority levels that every cluster has. */
export function bootstrapFlows(): readonly ApiObject[] {
  return [
    ...Array.from(priorityLevels, ([name, spec]) => objectOf("PriorityLevelConfiguration", name, spec)),
    ...Array.from(flowSchemas, ([name, spec]) => objectOf("FlowSchema", name, spec)),
  ];
}

/** The annotation that says whether the server puts the spec back that it suggested. */
export const autoUpdate = "apf.kubernetes.io/autoupdate-spec";

function objectOf(kind: string, name: string, spec: object): ApiObject {
  const annotations = { [autoUpdate]: "true" };
  return { apiVersion: "flowcontrol.apiserver.k8s.io/v1", kind, metadata: { name, annotations }, spec };
}

const queued = (
  nominalConcurrencyShares: number,
  lendablePercent: number,
  [queues, handSize]: readonly [number, number],
): PriorityLevelConfigurationSpec => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  },
});

const priorityLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ["exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    "catch-all",
    {
      type: "Limited",
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
    },
  ],
  ["system", queued(30, 33, [64, 6])],
  ["node-high", queued(40, 25, [64, 6])],
  ["leader-election", queued(10, 0, [16, 4])],
  ["workload-high", queued(40, 50, [128, 6])],
  ["workload-low", queued(100, 90, [128, 6])],
  ["global-default", queued(20, 50, [128, 6])],
]);

const group = (name: string): Subject => ({ kind: "Group", group: { name } });
const user = (name: string): Subject => ({ kind: "User", user: { name } });
const systemAccounts: Subject = {
  kind: "ServiceAccount",
  serviceAccount: { namespace: "kube-system", name: "*" },
};
const everybody = [group("system:unauthenticated"), group("system:authenticated")];

const everything = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const leases = (verbs: string[]) => ({
  verbs,
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});

interface Flow {
  readonly level: string;
  readonly precedence: number;
  readonly by?: "ByNamespace" | "ByUser";
  readonly subjects: Subject[];
  readonly rules?: Omit<NonNullable<FlowSchemaSpec["rules"]>[number], "subjects">;
}

const flow = ({ level, precedence, by, subjects, rules = everything }: Flow): FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  ...(by !== undefined && { distinguisherMethod: { type: by } }),
  rules: [{ subjects, ...rules }],
});

const flowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  ["exempt", flow({ level: "exempt", precedence: 1, subjects: [group("system:masters")] })],
  [
    "probes",
    flow({
      level: "exempt",
      precedence: 2,
      subjects: everybody,
      rules: { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
    }),
  ],
  [
    "system-leader-election",
    flow({
      level: "leader-election",
      precedence: 100,
      by: "ByUser",
      subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler"), systemAccounts],
      rules: { resourceRules: [leases(["get", "create", "update"])] },
    }),
  ],
  [
    "system-node-high",
    flow({
      level: "node-high",
      precedence: 400,
      by: "ByUser",
      subjects: [group("system:nodes")],
      rules: {
        resourceRules: [
          {
            verbs: ["*"],
            apiGroups: [""],
            resources: ["nodes", "nodes/status"],
            clusterScope: true,
            namespaces: ["*"],
          },
          leases(["*"]),
        ],
      },
    }),
  ],
  [
    "system-nodes",
    flow({ level: "system", precedence: 500, by: "ByUser", subjects: [group("system:nodes")] }),
  ],
  [
    "kube-controller-manager",
    flow({
      level: "workload-high",
      precedence: 800,
      by: "ByNamespace",
      subjects: [user("system:kube-controller-manager")],
    }),
  ],
  [
    "kube-scheduler",
    flow({
      level: "workload-high",
      precedence: 800,
      by: "ByNamespace",
      subjects: [user("system:kube-scheduler")],
    }),
  ],
  [
    "kube-system-service-accounts",
    flow({ level: "workload-high", precedence: 900, by: "ByNamespace", subjects: [systemAccounts] }),
  ],
  [
    "service-accounts",
    flow({
      level: "workload-low",
      precedence: 9000,
      by: "ByUser",
      subjects: [group("system:serviceaccounts")],
    }),
  ],
  ["global-default", flow({ level: "global-default", precedence: 9900, by: "ByUser", subjects: everybody })],
  ["catch-all", flow({ level: "catch-all", precedence: 10_000, by: "ByUser", subjects: everybody })],
]);

const mandatory: ReadonlySet<string> = new Set(["catch-all", "exempt"]);

/** Those that nobody may change. */
export const mandatoryFlowSchemas = new Map(Array.from(flowSchemas).filter(([name]) => mandatory.has(name)));

/** Those that nobody may change, but for `exempt` of the one of that name. */
export const mandatoryPriorityLevels = new Map(
  Array.from(priorityLevels).filter(([name]) => mandatory.has(name)),
);
