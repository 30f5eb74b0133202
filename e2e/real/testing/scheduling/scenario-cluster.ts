import type { Client } from "@kedge/client";
import {
  apiVersionOf,
  formatTime,
  ifFound,
  isNotFound,
  realClock,
  type DeepReadonly,
  type Kind,
} from "@kedge/machinery";
import {
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
  ServiceAccount,
} from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { until } from "../../wait.ts";

/** How a hand-made node is. */
export interface NodeSetup {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly spec?: DeepReadonly<Node["spec"]>;
  readonly images?: readonly { readonly names: string[]; readonly sizeBytes: number }[];
}

/** How a pod is. */
export interface PodSetup {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly containerPort: number; readonly hostPort: number }[];
  readonly image?: string;
  readonly spec?: Partial<Pod["spec"]>;
}

/** What became of everything: the same on both sides, or the scenario has failed. */
export interface Outcome {
  /** By `namespace/name`. */
  readonly pods: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** A real API server on which scenarios are played, without controllers: what they would do, the scenario does. */
export class ScenarioCluster {
  readonly admin: Client;

  constructor(admin: Client) {
    this.admin = admin;
  }

  async prepare(namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
    for (const [name, labels] of Object.entries(namespaces)) {
      if (name !== "default") await this.admin.of(Namespace).create({ metadata: { name, labels } });
      await this.admin.of(ServiceAccount).create({ metadata: { namespace: name, name: "default" } });
    }
  }

  async node(name: string, { labels, allocatable, spec, images }: NodeSetup = {}): Promise<void> {
    const amounts = { cpu: "4", memory: "8Gi", pods: "110", ...allocatable };
    const time = formatTime(realClock.now());
    const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: time, lastTransitionTime: time }];
    // All at once: a scheduler never sees half of it.
    await this.admin.of(Node).create({
      metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
      spec: { ...spec },
      status: {
        allocatable: amounts,
        capacity: amounts,
        conditions,
        ...(images !== undefined && { images: [...images] }),
      },
    });
  }

  async pod(name: string, setup: PodSetup = {}): Promise<void> {
    const { namespace = "default", labels, requests, ports, image = "app:1", spec } = setup;
    const resources = requests === undefined ? undefined : { requests: { ...requests } };
    await this.admin.of(Pod).create({
      metadata: { namespace, name, labels },
      spec: {
        terminationGracePeriodSeconds: 30,
        containers: [{ name: "main", image, resources, ports: ports?.map((port) => ({ ...port })) }],
        ...spec,
      },
    });
  }

  /** A pod that somebody has put on a node already. */
  async placed(name: string, node: string, setup: PodSetup = {}): Promise<void> {
    await this.pod(name, { ...setup, spec: { ...setup.spec, nodeName: node } });
    const key = { namespace: setup.namespace ?? "default", name };
    const startTime = formatTime(Date.UTC(2026, 0, 1));
    await this.admin.of(Pod).status.patch(key, { merge: { status: { phase: "Running", startTime } } });
  }

  /** As a kubelet does when a pod has ended. */
  async end(name: string, namespace = "default"): Promise<void> {
    await this.admin.of(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0 });
  }

  /** Waits until each pod has a node or was refused, or stands behind its gates. */
  async settled(): Promise<void> {
    await until("all pods are placed or refused", async () => {
      const { items } = await this.admin.of(Pod).list().all();
      return items.every(
        ({ spec, status }) =>
          (spec.nodeName ?? "") !== "" ||
          (status?.conditions ?? []).some(({ type, reason }) => type === "PodScheduled" && reason !== ""),
      );
    });
  }

  async untilPlaced(name: string, namespace = "default"): Promise<void> {
    await until(`${name} is placed`, async () => {
      const { spec } = await this.admin.of(Pod).get({ namespace, name });
      return (spec.nodeName ?? "") !== "";
    });
  }

  /** As the controller of volumes does when a claim has its volume. */
  async bindClaim(name: string, volume: string): Promise<void> {
    const key = { namespace: "default", name };
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    const claims = this.admin.of(PersistentVolumeClaim);
    await claims.patch(key, { merge: { metadata: { annotations }, spec: { volumeName: volume } } });
    await claims.status.patch(key, { merge: { status: { phase: "Bound" } } });
  }

  async outcome(): Promise<Outcome> {
    const { admin } = this;
    const [pods, events, claims, volumes] = await Promise.all([
      admin.of(Pod).list().all(),
      admin.of(Event).list().all(),
      admin.of(PersistentVolumeClaim).list().all(),
      admin.of(PersistentVolume).list().all(),
    ]);
    const names = new Map(pods.items.map(({ metadata }) => [String(metadata.uid), metadata.name]));
    return {
      pods: Object.fromEntries(
        pods.items.map(({ metadata, spec, status }) => [
          `${metadata.namespace}/${metadata.name}`,
          {
            node: spec.nodeName,
            nominated: status?.nominatedNodeName,
            isLeaving: metadata.deletionTimestamp !== undefined,
            conditions: status?.conditions
              ?.filter(({ type }) => type === "PodScheduled" || type === "DisruptionTarget")
              .map(({ type, status: isSo, reason, message, observedGeneration }) => ({
                type,
                status: isSo,
                reason,
                message,
                observedGeneration,
              }))
              .toSorted((one, other) => (one.type < other.type ? -1 : 1)),
          },
        ]),
      ),
      // Not those of the API server about addresses of services, which come and go.
      events: [
        ...new Set(events.items.filter(isOfScheduling).map((event) => eventText(event, names))),
      ].toSorted(),
      claims: Object.fromEntries(
        claims.items.map(({ metadata }) => [metadata.name, metadata.annotations ?? {}]),
      ),
      volumes: Object.fromEntries(
        volumes.items.map(({ metadata, spec }) => [
          metadata.name,
          { claim: spec?.claimRef?.name, annotations: metadata.annotations ?? {} },
        ]),
      ),
    };
  }

  /** Leaves nothing for the next scenario. */
  async clear(): Promise<void> {
    const { admin } = this;
    // Nodes first: no pod that is left finds another place.
    for (const kind of [Node, PersistentVolume, StorageClass, PriorityClass] as const)
      await this.#clear(kind);
    for (const kind of [Pod, PersistentVolumeClaim, PodDisruptionBudget, Service, Event] as const) {
      await this.#clear(kind);
    }
    await until("all pods are gone", async () => (await admin.of(Pod).list().all()).items.length === 0);
    await this.#clear(Event);
  }

  async #clear(kind: Kind): Promise<void> {
    const root = kind.group === "" ? "api" : "apis";
    const { items } = (await this.admin.getJson(`/${root}/${apiVersionOf(kind)}/${kind.plural}`)) as {
      readonly items: readonly {
        readonly metadata: {
          readonly name: string;
          readonly namespace?: string;
          readonly finalizers?: string[];
        };
      }[];
    };
    const client = this.admin.of(kind);
    for (const { metadata } of items) {
      const { name, namespace, finalizers = [] } = metadata;
      if (name === "kubernetes" || name.startsWith("system-")) continue;
      const key = namespace === undefined ? { name } : { namespace, name };
      if (finalizers.length > 0) {
        await ifFound(client.patch(key as never, { merge: { metadata: { finalizers: null } } }));
      }
      await client.delete(key as never, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }
}

function isOfScheduling({ involvedObject, message = "" }: Event): boolean {
  // A claim may come later than its pod to a scheduler's cache; that one is missing for good, conditions say.
  return involvedObject.kind !== "Service" && !/persistentvolumeclaim "[^"]*" not found/u.test(message);
}

function eventText(event: Event, names: ReadonlyMap<string, string>): string {
  const { involvedObject, type, reason, action, message = "", reportingComponent, related } = event;
  // Pods are named by their uid in some.
  const text = message.replaceAll(
    /[\da-f]{8}-[\da-f-]{27}/gu,
    (uid) => `<uid of ${names.get(uid) ?? "one that is gone"}>`,
  );
  const about = related === undefined ? "" : ` (for ${related.kind} ${related.namespace}/${related.name})`;
  return `${involvedObject.name}: ${type} ${reason} ${action} by ${reportingComponent}: ${text}${about}`;
}
