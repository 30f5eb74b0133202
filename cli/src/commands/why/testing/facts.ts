import type { Event, Node, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { AnyObject, Facts } from "../situation.ts";

export const now = new Date("2026-11-16T12:00:00Z");

/** A time some seconds ago. */
export const ago = (seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();

/** The facts of a cluster with one ready node and a default storage class, and what else a test needs. */
export function facts(target: AnyObject, more: Partial<Facts> = {}): Facts {
  return {
    target,
    pods: [],
    claims: [],
    volumes: [],
    nodes: [node("node-1", "True")],
    storageClasses: [
      fromTest<Facts["storageClasses"][number]>({
        metadata: {
          name: "standard",
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        volumeBindingMode: "WaitForFirstConsumer",
      }),
    ],
    others: [],
    events: [],
    now,
    ...more,
  };
}

/** A node, by what its condition Ready says. */
export function node(name: string, ready: string): Node {
  const condition = { type: "Ready", status: ready, message: "Kubelet stopped posting node status." };
  return fromTest<Node>({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `node-${name}` },
    status: { conditions: [{ ...condition, lastTransitionTime: ago(300) }] },
  });
}

/** A pod on node-1, by its status. */
export function pod(name: string, more: { metadata?: object; spec?: object; status?: object } = {}): Pod {
  return fromTest<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `pod-${name}`,
      creationTimestamp: ago(60),
      ...more.metadata,
    },
    spec: { nodeName: "node-1", containers: [{ name: "app" }], ...more.spec },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }], ...more.status },
  });
}

/** A claim, by its spec and phase. */
export function claim(name: string, spec: object, phase = "Pending"): PersistentVolumeClaim {
  return fromTest<PersistentVolumeClaim>({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", uid: `claim-${name}` },
    spec,
    status: { phase },
  });
}

/** A warning about an object. */
export function warning(uid: string, reason: string, message: string, count = 1): Event {
  const involvedObject = { uid };
  return fromTest<Event>({ type: "Warning", involvedObject, reason, message, count, lastTimestamp: ago(5) });
}

/** Any object, owned by others where these are named by uid. */
export function object(
  kind: string,
  name: string,
  more: Partial<AnyObject> & { owners?: string[] } = {},
): AnyObject {
  const { owners = [], metadata, ...rest } = more;
  const base = {
    name,
    namespace: "default",
    uid: `${kind}-${name}`,
    creationTimestamp: ago(60),
    generation: 1,
  };
  const ownerReferences = owners.map((uid) => ({ uid }));
  const apiVersion = /^(RedisInstance|Widget)$/u.test(kind) ? "example.com/v1" : "v1";
  return { apiVersion, kind, metadata: { ...base, ownerReferences, ...metadata }, ...rest };
}

/** As much of an object as a test needs. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the promise
export function fromTest<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest is not looked at
  return value as T;
}
