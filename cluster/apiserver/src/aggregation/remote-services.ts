import { deepEqual } from "@kedge/machinery";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { decodedAs } from "../registry/decoded.ts";
import type { ObjectReader, StoredApiObject } from "../registry/types.ts";
import type { RemoteService } from "./types.ts";

/** The group versions that other servers serve. As new as every answered write of an APIService. */
export class RemoteServices {
  readonly #objects: ObjectReader;
  readonly #byVersion = new Map<string, RemoteService>();
  readonly #listeners = new Set<(name: string, isOther: boolean) => void>();
  #stop: (() => void) | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** Begins to follow the APIServices. Until then there are none. */
  start(): void {
    const resource = this.#objects.registry.byKind(APIService.group, APIService.kind);
    if (resource === undefined || this.#stop !== undefined) return;
    for (const object of this.#objects.list(resource)) this.#set(object, true);
    this.#stop = this.#objects.onChange(resource, ({ type, object }) => this.#set(object, type === "stored"));
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#byVersion.clear();
  }

  /** The one of a group version, if another server serves it. */
  find(group: string, version: string): RemoteService | undefined {
    return this.#byVersion.get(`${version}.${group}`);
  }

  /** The one of an APIService of this name. */
  named(name: string): RemoteService | undefined {
    return this.#byVersion.get(name);
  }

  get isEmpty(): boolean {
    return this.#byVersion.size === 0;
  }

  all(): readonly RemoteService[] {
    return [...this.#byVersion.values()];
  }

  /** Tells the names of those that came, changed or went, and whether more than their status changed. */
  onChange(listener: (name: string, isOther: boolean) => void): void {
    this.#listeners.add(listener);
  }

  #set(object: StoredApiObject, isThere: boolean): void {
    const { name = "" } = object.metadata;
    const remote = isThere ? remoteOf(object) : undefined;
    const before = this.#byVersion.get(name);
    if (remote === undefined) this.#byVersion.delete(name);
    else this.#byVersion.set(name, remote);
    if (before === undefined && remote === undefined) return;
    const isOther = !deepEqual({ ...before, isAvailable: true }, { ...remote, isAvailable: true });
    for (const listener of this.#listeners) listener(name, isOther);
  }
}

function remoteOf(object: StoredApiObject): RemoteService | undefined {
  const { spec = {}, status } = decodedAs(APIService, object);
  const { service, caBundle = "" } = spec;
  // Nobody could take back that another serves the APIServices themselves.
  if (service === undefined || spec.group === APIService.group) return undefined;
  const { name = "", namespace = "", port = 443 } = service;
  return {
    name: object.metadata.name ?? "",
    group: spec.group ?? "",
    version: spec.version ?? "",
    service: { namespace, name, port },
    authority: caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8"),
    insecure: spec.insecureSkipTLSVerify === true,
    isAvailable: (status?.conditions ?? []).some(
      (condition) => condition.type === "Available" && condition.status === "True",
    ),
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
  };
}
