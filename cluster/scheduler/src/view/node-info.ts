import type { DeepReadonly, Labels } from "@kedge/machinery";
import type { Node, Taint } from "@kedge/machinery/kinds/core/v1";
import type { HostPort } from "./host-ports.ts";
import type { PodInfo } from "./pod-info.ts";
import { addTo, copyOf, emptyResources, resourcesOf, type Resources } from "./resources.ts";

const noLabels: Labels = {};
const noTaints: readonly DeepReadonly<Taint>[] = [];

/** A node with the pods on it and what they take, counted up and down pod by pod. */
export class NodeInfo {
  readonly name: string;
  /** Undefined: there are pods of a node that is not there (any more). */
  node: DeepReadonly<Node> | undefined;
  labels: Labels = noLabels;
  taints: readonly DeepReadonly<Taint>[] = noTaints;
  isCordoned = false;
  allocatable: Resources = emptyResources();
  mostPods = 0;
  /** Sizes in bytes of the images that it has, by all their names. */
  images: ReadonlyMap<string, number> = new Map();
  readonly pods = new Map<string, PodInfo>();
  readonly requested = emptyResources();
  readonly scored = emptyResources();
  #ports: readonly HostPort[] | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** All that its pods have taken of the ports of the machine. */
  get ports(): readonly HostPort[] {
    this.#ports ??= [...this.pods.values()].flatMap(({ ports }) => ports);
    return this.#ports;
  }

  setNode(node: DeepReadonly<Node> | undefined): void {
    this.node = node;
    this.labels = node?.metadata.labels ?? noLabels;
    this.taints = node?.spec?.taints ?? noTaints;
    this.isCordoned = node?.spec?.unschedulable === true;
    const allocatable = resourcesOf(node?.status?.allocatable);
    this.allocatable = allocatable;
    this.mostPods = allocatable.others.get("pods") ?? 0;
    this.images = imagesOf(node);
  }

  add(info: PodInfo): void {
    this.pods.set(info.uid, info);
    this.#count(info, 1);
  }

  /** Undefined: it was not there. */
  remove(uid: string): PodInfo | undefined {
    const info = this.pods.get(uid);
    if (info === undefined) return undefined;
    this.pods.delete(uid);
    this.#count(info, -1);
    return info;
  }

  #count(info: PodInfo, factor: 1 | -1): void {
    addTo(this.requested, info.requested, factor);
    addTo(this.scored, info.scored, factor);
    if (info.ports.length > 0) this.#ports = undefined;
  }

  /** The same, to try what would be if pods came or went. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.node = this.node;
    copy.labels = this.labels;
    copy.taints = this.taints;
    copy.isCordoned = this.isCordoned;
    copy.allocatable = this.allocatable;
    copy.mostPods = this.mostPods;
    copy.images = this.images;
    for (const [uid, info] of this.pods) copy.pods.set(uid, info);
    Object.assign(copy.requested, copyOf(this.requested));
    Object.assign(copy.scored, copyOf(this.scored));
    return copy;
  }
}

function imagesOf(node: DeepReadonly<Node> | undefined): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of node?.status?.images ?? []) {
    for (const name of names) sizes.set(name, sizeBytes);
  }
  return sizes;
}
