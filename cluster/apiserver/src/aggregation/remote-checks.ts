import { deepEqual, formatTime, inBackground, isNotFound, messageOf } from "@kedge/machinery";
import type { Clock, Logger, Timer } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { decodedAs } from "../registry/decoded.ts";
import type { Objects } from "../registry/types.ts";
import { failedDiscovery, passed, whyUnavailable, type Availability } from "./availability.ts";
import type { RemoteClient } from "./remote-client.ts";
import { checkDiscovery, readOpenApiPath, readResources } from "./remote-documents.ts";
import type { RemoteServices } from "./remote-services.ts";
import type { RemoteService, RemoteVersion, RemoteVersions } from "./types.ts";

/** What keeps the status of remote APIServices true. */
export interface RemoteChecksOptions {
  readonly objects: Objects;
  readonly services: RemoteServices;
  readonly client: RemoteClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** All is looked at again after so many milliseconds, whatever happens. */
const interval = 30_000;
/** After a failure it is looked at again soon, then less and less soon. */
const firstRetry = 500;
/** So many are asked at once. */
const mostChecks = 16;

interface Known {
  readonly resources: readonly object[];
  readonly openApiPath: string | undefined;
}

/** Asks other servers again and again whether they are there, and what they serve. */
export class RemoteChecks implements RemoteVersions {
  readonly #options: RemoteChecksOptions;
  readonly #known = new Map<string, Known>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  readonly #running = new Set<string>();
  /** Those that are to be looked at again, or first, when there is room. */
  readonly #due = new Set<string>();
  readonly #stops: (() => void)[] = [];
  #isStopped = true;
  generation = 0;

  constructor(options: RemoteChecksOptions) {
    this.#options = options;
  }

  start(): void {
    const { objects, services } = this.#options;
    this.#isStopped = false;
    for (const { name } of services.all()) this.#check(name);
    services.onChange((name, isOther) => {
      this.generation++;
      if (services.named(name) === undefined) this.#forget(name);
      // What it writes itself is no reason to look again at once: that would never end.
      else if (isOther) this.#check(name);
    });
    for (const kind of [Service, EndpointSlice]) {
      const resource = objects.registry.byKind(kind.group, kind.kind);
      if (resource === undefined) continue;
      const stop = objects.onChange(resource, ({ object }) => {
        const { namespace, name, labels = {} } = object.metadata;
        const service = kind === Service ? name : labels["kubernetes.io/service-name"];
        for (const remote of services.all())
          if (remote.service.namespace === namespace && remote.service.name === service)
            this.#check(remote.name);
      });
      this.#stops.push(stop);
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops.splice(0)) stop();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#due.clear();
  }

  all(): readonly RemoteVersion[] {
    return this.#options.services.all().map((remote) => ({
      group: remote.group,
      version: remote.version,
      groupPriority: remote.groupPriority,
      versionPriority: remote.versionPriority,
      resources: this.#known.get(remote.name)?.resources ?? [],
      isFresh: remote.isAvailable && this.#known.has(remote.name),
    }));
  }

  openApiPaths(): ReadonlyMap<string, string> {
    const paths = new Map<string, string>();
    for (const { name, group, version, isAvailable } of this.#options.services.all()) {
      const path = this.#known.get(name)?.openApiPath;
      if (isAvailable && path !== undefined) paths.set(`apis/${group}/${version}`, path);
    }
    return paths;
  }

  #check(name: string): void {
    if (this.#isStopped) return;
    if (this.#running.has(name) || this.#running.size >= mostChecks) {
      this.#due.add(name);
      return;
    }
    this.#due.delete(name);
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
    this.#running.add(name);
    inBackground(this.#run(name), (error) =>
      this.#options.logger.warn("An APIService could not be checked", { name, error }),
    );
  }

  async #run(name: string): Promise<void> {
    let isWell = false;
    try {
      isWell = await this.#look(name);
    } finally {
      this.#running.delete(name);
      if (this.#options.services.named(name) !== undefined && !this.#isStopped) this.#later(name, isWell);
      for (const next of this.#due) {
        if (this.#running.size >= mostChecks) break;
        this.#check(next);
      }
    }
  }

  #later(name: string, isWell: boolean): void {
    const failures = isWell ? 0 : (this.#failures.get(name) ?? 0) + 1;
    if (isWell) this.#failures.delete(name);
    else this.#failures.set(name, failures);
    const wait = isWell ? interval : Math.min(firstRetry * 2 ** Math.min(failures - 1, 10), interval);
    this.#timers.get(name)?.cancel();
    this.#timers.set(
      name,
      this.#options.clock.timer(wait, () => this.#check(name)),
    );
  }

  /** Looks at one; whether all is well. */
  async #look(name: string): Promise<boolean> {
    const remote = this.#options.services.named(name);
    if (remote === undefined) return true;
    const availability = await this.#availabilityOf(remote);
    const isWell = availability.status === "True";
    // What it serves is known before clients are told that it is there.
    if (isWell) await this.#learn(remote);
    await this.#tell(name, availability);
    return isWell;
  }

  async #availabilityOf(remote: RemoteService): Promise<Availability> {
    const { objects, client } = this.#options;
    const why = whyUnavailable(objects, remote);
    if (why !== undefined) return why;
    try {
      await checkDiscovery(client, remote);
      return passed;
    } catch {
      // One of its endpoints may be gone: that another answers is enough.
      const more = Array.from({ length: 4 }, () => checkDiscovery(client, remote));
      return await Promise.any(more).then(
        () => passed,
        (error: unknown) =>
          failedDiscovery(messageOf(error instanceof AggregateError ? error.errors[0] : error)),
      );
    }
  }

  async #learn(remote: RemoteService): Promise<void> {
    const { client, logger } = this.#options;
    try {
      const resources = await readResources(client, remote);
      const openApiPath = await readOpenApiPath(client, remote).catch(() => undefined);
      const known = { resources, openApiPath };
      if (deepEqual(this.#known.get(remote.name), known)) return;
      this.#known.set(remote.name, known);
      this.generation++;
    } catch (error) {
      logger.warn("What a remote APIService serves is not known", { name: remote.name, error });
    }
  }

  async #tell(name: string, { status, reason, message }: Availability): Promise<void> {
    const { objects, clock } = this.#options;
    const resource = objects.registry.byKind(APIService.group, APIService.kind);
    if (resource === undefined) return;
    const change = (object: Parameters<Parameters<Objects["update"]>[2]>[0]): boolean => {
      const { spec, status: before } = decodedAs(APIService, object);
      if (spec?.service === undefined) return false;
      const conditions = before?.conditions ?? [];
      const old = conditions.find(({ type }) => type === "Available");
      if (old?.status === status && old.reason === reason && old.message === message) return false;
      const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(clock.now());
      const condition = { type: "Available", status, lastTransitionTime, reason, message };
      object["status"] = {
        conditions:
          old === undefined
            ? [...conditions, condition]
            : conditions.map((each) => (each === old ? condition : each)),
      };
      return true;
    };
    await objects.update(resource, { name }, change, { subresource: "status" }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  #forget(name: string): void {
    this.#known.delete(name);
    this.#failures.delete(name);
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
    this.#due.delete(name);
  }
}
