import type { Client } from "@kedge/client";
import { Application } from "@kedge/application-operator";
import { apiVersionOf, type Kind } from "@kedge/machinery";
import { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import {
  ConfigMap,
  Event,
  Node,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { RedisInstance } from "@kedge/redis-operator";
import type { RawObject } from "./mask-objects.ts";

/** What operators, and controllers on their behalf, make in a namespace, and what they make it for. */
const kinds: readonly Kind[] = [
  RedisInstance,
  Application,
  ConfigMap,
  Secret,
  Service,
  EndpointSlice,
  ServiceAccount,
  StatefulSet,
  ControllerRevision,
  Deployment,
  ReplicaSet,
  HorizontalPodAutoscaler,
  PersistentVolumeClaim,
  Pod,
];

/** What is there without anybody's wish: nobody's child. */
const everywhere: ReadonlySet<string> = new Set(["kubernetes", "kube-root-ca.crt"]);

/** All objects of a namespace that a user's wish led to, as JSON and with every field: no type hides one. */
export async function readObjects(client: Client, namespace: string): Promise<readonly RawObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const root = kind.group === "" ? "api" : "apis";
      const path = `/${root}/${apiVersionOf(kind)}/namespaces/${namespace}/${kind.plural}`;
      const { items } = (await client.getJson(path)) as {
        readonly items: readonly Pick<RawObject, "metadata">[];
      };
      return items.map((item): RawObject => ({ ...item, kind: kind.kind }));
    }),
  );
  return lists.flat().filter(({ metadata }) => !everywhere.has(metadata.name));
}

/**
 * What was said of a namespace's objects. Not how often and when: that depends on the course of time. Our recorder also
 * names the action and the instance, as the newer API of events wants; the original controllers do not.
 */
export async function readEvents(client: Client, namespace: string): Promise<readonly RawObject[]> {
  const { items } = await client.of(Event).list({ namespace }).all();
  return items
    .filter(({ involvedObject }) => !untold.has(involvedObject.kind ?? ""))
    .filter(({ reason = "" }) => !transient.test(reason))
    .map(({ metadata, involvedObject, reason, type, message, source, reportingComponent }) => ({
      kind: Event.kind,
      metadata: {
        name: `${reason ?? ""} of ${involvedObject.kind ?? ""} ${involvedObject.name ?? ""}`,
        uid: metadata.uid,
      },
      type,
      message,
      source,
      reportingComponent,
    }));
}

/**
 * What is told only by who looks at the right moment: a phase that our operators see pass, or not; a budget whose pods
 * are not there yet; a write of endpoints that lost a race and is done again; an address or port whose allocation the
 * API server's repair loop does not see yet.
 */
const transient =
  /^(?:Pending|Creating|Updating|Scaling|NoPods)$|^(?:FailedTo(?:Create|Update|Delete)Endpoint|(?:ClusterIP|Port)NotAllocated)/u;

/**
 * Nodes are nobody's children. What a claim waits for, a pod to be created or one to be placed, is told as it is at that
 * moment, and again and again.
 */
const untold: ReadonlySet<string> = new Set([Node.kind, PersistentVolumeClaim.kind]);
