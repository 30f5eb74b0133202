import type { Kind } from "@kedge/machinery";
import { PersistentVolume, Pod } from "@kedge/machinery/kinds/core/v1";
import { ResourceSlice } from "@kedge/machinery/kinds/resource/v1";
import { VolumeAttachment } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { podReferences } from "./pod-references.ts";

/** What each node has to do with, by the pods that are bound to it. As new as every write that was answered. */
export class NodeRelations {
  readonly #objects: ObjectReader;
  /** By node and `plural/namespace/name`: how many of its pods refer to it. */
  readonly #counts = new Map<string, Map<string, number>>();
  #stop: (() => void) | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  start(): void {
    const pods = this.#objects.registry.byKind(Pod.group, Pod.kind, Pod.version);
    if (pods === undefined || this.#stop !== undefined) return;
    for (const pod of this.#objects.list(pods)) this.#count(pod, 1);
    this.#stop = this.#objects.onChange(pods, (change) => {
      if (change.type === "removed") {
        this.#count(change.object, -1);
        return;
      }
      const { object, previous } = change;
      // Most changes are of the status.
      if (previous !== undefined && nodeOf(previous) === nodeOf(object) && hasSameSpec(previous, object))
        return;
      if (previous !== undefined) this.#count(previous, -1);
      this.#count(object, 1);
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Whether an object is of use to a node. */
  has(node: string, { plural, namespace, name }: Target): boolean {
    if (plural === "persistentvolumes") return this.#hasVolume(node, name);
    const kind = [VolumeAttachment, ResourceSlice].find((each) => each.plural === plural);
    if (kind !== undefined) return this.#names(node, kind, name);
    return this.#counts.get(node)?.has(`${plural}/${namespace}/${name}`) === true;
  }

  /** A volume is of use where its claim is. */
  #hasVolume(node: string, name: string): boolean {
    const { registry } = this.#objects;
    const volumes = registry.byKind(PersistentVolume.group, PersistentVolume.kind, PersistentVolume.version);
    const volume = volumes && this.#objects.get(volumes, { name });
    if (volume === undefined) return false;
    const { claimRef } = decodedAs(PersistentVolume, volume).spec ?? {};
    const { namespace = "", name: claim = "" } = claimRef ?? {};
    return this.has(node, { plural: "persistentvolumeclaims", namespace, name: claim });
  }

  /** Whether an object says itself that it is for the node. */
  #names(node: string, kind: Kind, name: string): boolean {
    const resource = this.#objects.registry.byKind(kind.group, kind.kind, kind.version);
    const found = resource && this.#objects.get(resource, { name });
    return found !== undefined && nodeOf(found) === node;
  }

  #count(pod: StoredApiObject, by: 1 | -1): void {
    const node = nodeOf(pod);
    if (node === "") return;
    const counts = this.#counts.get(node) ?? new Map<string, number>();
    for (const reference of podReferences(decodedAs(Pod, pod))) {
      const [plural = "", name = ""] = reference.split("/");
      const key = `${plural}/${pod.metadata.namespace ?? ""}/${name}`;
      const count = (counts.get(key) ?? 0) + by;
      if (count > 0) counts.set(key, count);
      else counts.delete(key);
    }
    if (counts.size > 0) this.#counts.set(node, counts);
    else this.#counts.delete(node);
  }
}

/** An object. */
export interface Target {
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

function nodeOf(pod: StoredApiObject): string {
  return decodedAs(Pod, pod).spec?.nodeName ?? "";
}

function hasSameSpec(one: StoredApiObject, other: StoredApiObject): boolean {
  return one.metadata.generation === other.metadata.generation && one.metadata.uid === other.metadata.uid;
}
