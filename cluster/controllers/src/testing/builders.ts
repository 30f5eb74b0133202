import { formatTime, resourceVersion, uid, type NamespacedMeta } from "@kedge/machinery";
import type { Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";

/** The time that tests call now, in milliseconds. */
export const now = Date.UTC(2026, 0, 1, 12);

/** So many seconds before now, as objects write it. */
export function ago(seconds: number): string {
  return formatTime(now - seconds * 1000);
}

/** The metadata of a stored object; its uid is its name with `-uid`. */
export function stored(name: string, more: Partial<NamespacedMeta> = {}): NamespacedMeta {
  return {
    namespace: "default",
    name,
    uid: uid(`${name}-uid`),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: ago(60),
    ...more,
  };
}

/** How a pod is. */
export interface PodSetup {
  readonly phase?: string;
  /** For how many seconds it has been ready; absent: it is not. */
  readonly readyFor?: number | undefined;
  readonly terminating?: boolean;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly node?: string;
  readonly restarts?: number;
  readonly age?: number;
  readonly uid?: string;
  readonly owner?: { readonly kind: string; readonly name: string };
}

/** A pod, running but not ready unless said otherwise. */
export function pod(name: string, setup: PodSetup = {}): Pod {
  const { phase = "Running", readyFor, owner, labels, annotations } = setup;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: stored(name, {
      creationTimestamp: ago(setup.age ?? 60),
      ...(setup.uid === undefined ? {} : { uid: uid(setup.uid) }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(setup.terminating === true ? { deletionTimestamp: ago(0) } : {}),
      ...(owner === undefined ? {} : { ownerReferences: [controller(owner.kind, owner.name)] }),
    }),
    spec: {
      containers: [{ name: "main", image: "main:1" }],
      ...(setup.node === "" ? {} : { nodeName: setup.node ?? "node-1" }),
    },
    status: {
      phase,
      conditions:
        readyFor === undefined
          ? [{ type: "Ready", status: "False" }]
          : [{ type: "Ready", status: "True", lastTransitionTime: ago(readyFor) }],
      containerStatuses: [
        {
          name: "main",
          image: "main:1",
          imageID: "",
          ready: readyFor !== undefined,
          restartCount: setup.restarts ?? 0,
        },
      ],
    },
  };
}

/** A node whose condition Ready says this; without any condition when it says nothing. */
export function node(name: string, ready?: string, more: Partial<Pick<Node, "spec" | "status">> = {}): Node {
  const { namespace: _, ...metadata } = stored(name);
  const time = { lastHeartbeatTime: ago(30), lastTransitionTime: ago(30) };
  const conditions = ready === undefined ? [] : [{ type: "Ready", status: ready, ...time }];
  return { apiVersion: "v1", kind: "Node", metadata, spec: {}, status: { conditions }, ...more };
}

/** The reference of a controlling owner. */
export function controller(kind: string, name: string) {
  return {
    apiVersion: kind === "Pod" ? "v1" : "apps/v1",
    kind,
    name,
    uid: uid(`${name}-uid`),
    controller: true,
    blockOwnerDeletion: true,
  };
}

const template = (image: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image }] },
});

/** How a deployment is. */
export interface DeploymentSetup {
  readonly image?: string;
  readonly spec?: Partial<Deployment["spec"]>;
  readonly status?: Deployment["status"];
  readonly metadata?: Partial<NamespacedMeta>;
}

/** The deployment `web`: rolling by one at a time each way unless said otherwise. */
export function deployment(replicas: number, setup: DeploymentSetup = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: stored("web", { generation: 1, ...setup.metadata }),
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: template(setup.image ?? "main:1"),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...setup.spec,
    },
    ...(setup.status === undefined ? {} : { status: setup.status }),
  };
}

/** How a replica set is. */
export interface ReplicaSetSetup {
  readonly image?: string;
  readonly revision?: number;
  /** The deployment's size when it was last sized. */
  readonly desired?: number;
  readonly most?: number;
  readonly replicas?: number;
  readonly available?: number;
  readonly age?: number;
  readonly conditions?: NonNullable<ReplicaSet["status"]>["conditions"];
  readonly annotations?: Record<string, string>;
}

/** A replica set of the deployment `web`; all its pods are available unless said otherwise. */
export function replicaSet(name: string, size: number, setup: ReplicaSetSetup = {}): ReplicaSet {
  const { image = "main:1", revision = 1, desired, most, replicas = size, available = replicas } = setup;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: stored(name, {
      generation: 1,
      creationTimestamp: ago(setup.age ?? 60),
      annotations: {
        "deployment.kubernetes.io/revision": String(revision),
        ...(desired === undefined ? {} : { "deployment.kubernetes.io/desired-replicas": String(desired) }),
        ...(most === undefined ? {} : { "deployment.kubernetes.io/max-replicas": String(most) }),
        ...setup.annotations,
      },
      ownerReferences: [controller("Deployment", "web")],
    }),
    spec: { replicas: size, selector: { matchLabels: { app: "web" } }, template: template(image) },
    status: {
      replicas,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      ...(setup.conditions === undefined ? {} : { conditions: setup.conditions }),
    },
  };
}

/** The stateful set `db`. */
export function statefulSet(replicas: number, spec: Partial<StatefulSet["spec"]> = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: stored("db", { generation: 1 }),
    spec: {
      replicas,
      serviceName: "db",
      selector: { matchLabels: { app: "web" } },
      template: template("main:1"),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
  };
}

/** A claim. */
export function claim(
  name: string,
  spec: PersistentVolumeClaim["spec"] = {},
  more: { readonly metadata?: Partial<NamespacedMeta>; readonly phase?: string } = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: stored(name, more.metadata),
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    status: { phase: more.phase ?? "Pending" },
  };
}

/** A volume, free unless said otherwise. */
export function volume(
  name: string,
  spec: PersistentVolume["spec"] = {},
  phase = "Available",
): PersistentVolume {
  const { namespace: _, ...metadata } = stored(name);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata,
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...spec },
    status: { phase },
  };
}
