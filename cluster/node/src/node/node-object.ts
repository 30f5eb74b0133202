import { deepEqual, formatTime, parseQuantity, quantityToString, type DeepReadonly } from "@kedge/machinery";
import type {
  ContainerImage,
  Node,
  NodeCondition,
  NodeSpec,
  NodeStatus,
  NodeSystemInfo,
} from "@kedge/machinery/kinds/core/v1";

/** What a node says of itself. */
export interface NodeFacts {
  readonly name: string;
  /** Beside those that every node has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly address: string;
  /** The addresses of its pods. Undefined: others say which. */
  readonly podCIDR?: string | undefined;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly info: NodeSystemInfo;
  /** Where its HTTPS API listens. */
  readonly port: number;
}

/** The labels that every node has. */
export function nodeLabels({ name, labels, info }: NodeFacts): Record<string, string> {
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": info.operatingSystem,
    "kubernetes.io/arch": info.architecture,
    ...labels,
  };
}

/** The spec of a node that is new. */
export function nodeSpec({ podCIDR }: Pick<NodeFacts, "podCIDR">): NodeSpec {
  return podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] };
}

/** The status of a node that can run pods. */
export function nodeStatus(
  facts: NodeFacts,
  old: DeepReadonly<Node> | undefined,
  {
    now,
    pressures = new Set(),
    images = [],
  }: {
    readonly now: number;
    /** The conditions of a shortage that hold. */
    readonly pressures?: ReadonlySet<string>;
    readonly images?: readonly ContainerImage[];
  },
): NodeStatus {
  return {
    capacity: canonical(facts.capacity),
    allocatable: canonical(facts.allocatable),
    addresses: [
      { type: "InternalIP", address: facts.address },
      { type: "Hostname", address: facts.name },
    ],
    conditions: Object.entries(conditions).map(([type, { usual, pressed }]) => {
      const isPressed = pressures.has(type) && pressed !== undefined;
      const [reason, message] = isPressed ? pressed : usual;
      const status = isPressed || type === "Ready" ? "True" : "False";
      return conditionOf({ type, status, reason, message }, old, now);
    }),
    daemonEndpoints: { kubeletEndpoint: { Port: facts.port } },
    nodeInfo: { ...facts.info },
    images: [...images],
    declaredFeatures: [...features],
  };
}

/** As the server writes them: else the status would never be as it should be, and be sent with every lease. */
function canonical(quantities: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, value]) => [name, quantityToString(parseQuantity(value))]),
  );
}

/** The API server may lead WebSockets of exec, attach and port-forward straight to us: we speak no SPDY. */
const features = ["ExtendWebSocketsToKubelet"];

/** Whether two statuses say the same, whenever it was. */
export function saysTheSame(a: DeepReadonly<NodeStatus> | undefined, b: DeepReadonly<NodeStatus>): boolean {
  return a !== undefined && deepEqual(timeless(a), timeless(b));
}

/** Reason and message of each condition: of a healthy node, and of one that is short of something. */
const conditions: Readonly<
  Record<string, { readonly usual: readonly [string, string]; readonly pressed?: readonly [string, string] }>
> = {
  MemoryPressure: {
    usual: ["KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
    pressed: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available"],
  },
  DiskPressure: {
    usual: ["KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    pressed: ["KubeletHasDiskPressure", "kubelet has disk pressure"],
  },
  PIDPressure: {
    usual: ["KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    pressed: ["KubeletHasInsufficientPID", "kubelet has insufficient PID available"],
  },
  Ready: { usual: ["KubeletReady", "kubelet is posting ready status"] },
};

function conditionOf(
  verdict: Pick<NodeCondition, "type" | "status" | "reason" | "message">,
  old: DeepReadonly<Node> | undefined,
  now: number,
): NodeCondition {
  const before = old?.status?.conditions?.find(({ type }) => type === verdict.type);
  const kept = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  return { ...verdict, lastHeartbeatTime: formatTime(now), lastTransitionTime: kept ?? formatTime(now) };
}

/** Only what we write, without times. */
function timeless(status: DeepReadonly<NodeStatus>): object {
  const { capacity, allocatable, addresses, daemonEndpoints, nodeInfo, declaredFeatures } = status;
  // A server leaves an empty list out.
  const { images = [] } = status;
  const ours = Object.keys(conditions).map((type) => {
    const found = status.conditions?.find((condition) => condition.type === type);
    return [type, found?.status, found?.reason, found?.message];
  });
  const rest = { capacity, allocatable, addresses, daemonEndpoints, nodeInfo, declaredFeatures, images };
  return { ...rest, conditions: ours };
}
