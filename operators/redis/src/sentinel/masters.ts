import { isConditionTrue, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "../kind.ts";
import { redisPort } from "../names.ts";
import { replicationOf } from "../primary-of.ts";

/** A server as clients reach it. */
export interface SentinelServer {
  readonly pod: string;
  readonly host: string;
  readonly port: number;
  /** Whether it serves, as far as Kubernetes knows. */
  readonly isUp: boolean;
}

/** An instance as Sentinel's clients see it: a master with replicas. */
export interface SentinelMaster {
  /** What clients may call it: `<namespace>/<name>`, and `<name>` while no other namespace has one of that name. */
  readonly names: readonly string[];
  /** Undefined while the primary has no address. */
  readonly primary: SentinelServer | undefined;
  readonly replicas: readonly SentinelServer[];
  readonly epoch: number;
}

/** A change of primary, as clients are told of it. */
export interface Switch {
  readonly name: string;
  readonly from: SentinelServer;
  readonly to: SentinelServer;
}

/** Of an instance, what matters here. */
export type Instance = DeepReadonly<Pick<RedisInstance, "metadata" | "status">>;

type Servers = Omit<SentinelMaster, "names">;

/** All masters, kept one by one: what it costs to change one does not grow with how many there are. */
export class Masters {
  readonly #byName = new Map<string, Servers>();
  /** Namespaces that have an instance of a name. */
  readonly #namespaces = new Map<string, Set<string>>();
  /** Where each was last: one without an address now is nowhere else yet. */
  readonly #addresses = new Map<string, SentinelServer>();
  #list: readonly SentinelMaster[] | undefined;

  /** By their names. */
  get list(): readonly SentinelMaster[] {
    this.#list ??= [...this.#byName]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, servers]) => ({ names: this.#namesOf(name), ...servers }));
    return this.#list;
  }

  /** Takes in how an instance is now; says what clients are to be told. */
  set(instance: Instance, pods: readonly DeepReadonly<Pod>[]): readonly Switch[] {
    const { namespace, name } = instance.metadata;
    const full = `${namespace}/${name}`;
    const servers = serversOf(instance, pods);
    this.#namespaces.set(name, (this.#namespaces.get(name) ?? new Set()).add(namespace));
    this.#byName.set(full, servers);
    this.#list = undefined;
    const [from, to] = [this.#addresses.get(full), servers.primary];
    if (to === undefined) return [];
    this.#addresses.set(full, to);
    // One that had no address before is nobody's news.
    if (from === undefined || (from.host === to.host && from.port === to.port)) return [];
    return this.#namesOf(full).map((one) => ({ name: one, from, to }));
  }

  /** Forgets an instance. */
  delete({ metadata: { namespace, name } }: Instance): void {
    const full = `${namespace}/${name}`;
    this.#byName.delete(full);
    this.#addresses.delete(full);
    this.#list = undefined;
    const namespaces = this.#namespaces.get(name);
    namespaces?.delete(namespace);
    if (namespaces?.size === 0) this.#namespaces.delete(name);
  }

  #namesOf(full: string): readonly string[] {
    const short = full.slice(full.indexOf("/") + 1);
    return this.#namespaces.get(short)?.size === 1 ? [full, short] : [full];
  }
}

function serversOf(instance: Instance, pods: readonly DeepReadonly<Pod>[]): Servers {
  const { primary, epoch = 0 } = replicationOf(instance);
  const servers = pods.flatMap(serverOf);
  return {
    primary: servers.find(({ pod }) => pod === primary),
    replicas: servers.filter(({ pod }) => pod !== primary),
    epoch,
  };
}

function serverOf({ metadata, status }: DeepReadonly<Pod>): readonly SentinelServer[] {
  const host = status?.podIP ?? "";
  if (host === "" || metadata.deletionTimestamp !== undefined) return [];
  return [{ pod: metadata.name, host, port: redisPort, isUp: isConditionTrue(status?.conditions, "Ready") }];
}
