import type { Client } from "@kedge/client";
import { isForbidden, isNotFound, type Kind } from "@kedge/machinery";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { CronJob, Job } from "@kedge/machinery/kinds/batch/v1";
import {
  Event,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
} from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { AnyObject, Facts } from "./situation.ts";

/** Objects of a kind that are read at most: who has more gets an answer from these. */
const most = 5000;
const patience = 10_000;

/** Reads what could explain an object: its namespace, the nodes, the volumes. */
export async function gather(
  client: Client,
  target: AnyObject,
  known: Pick<Facts, "now" | "operatorsDown" | "agentsDown" | "startsNode">,
): Promise<Facts> {
  const isNamespace = target.kind === "Namespace" && target.apiVersion === "v1";
  const namespace = isNamespace ? target.metadata.name : target.metadata.namespace;
  const inside = async <T>(kind: Kind<T>): Promise<readonly T[]> =>
    namespace === undefined ? [] : await read(client, kind, namespace);
  const [pods, claims, events, volumes, nodes, storageClasses, ...others] = await Promise.all([
    inside(Pod),
    inside(PersistentVolumeClaim),
    // Those about what has no namespace are in the default one.
    read(client, Event, namespace ?? "default"),
    read(client, PersistentVolume),
    read(client, Node),
    read(client, StorageClass),
    inside(Deployment),
    inside(ReplicaSet),
    inside(StatefulSet),
    inside(DaemonSet),
    inside(Job),
    inside(CronJob),
    inside(Service),
  ]);
  const facts = { pods, claims, events, volumes, nodes, storageClasses, others: others.flat() };
  return { target, ...facts, ...known };
}

/** What cannot be read explains nothing, and hinders nothing: a kind that is not served, or not for us. */
async function read<T>(client: Client, kind: Kind<T>, namespace?: string): Promise<readonly T[]> {
  const found: T[] = [];
  try {
    for await (const object of client.of(kind).list({ namespace, timeout: patience })) {
      found.push(object);
      if (found.length === most) break;
    }
  } catch (error) {
    if (!isNotFound(error) && !isForbidden(error)) throw error;
  }
  return found;
}
