import type { Clock, Logger, Random } from "@kedge/machinery";
import type { Objects } from "../registry/types.ts";
import { RemoteChecks } from "./remote-checks.ts";
import { RemoteClient } from "./remote-client.ts";
import { remoteProxy } from "./remote-proxy.ts";
import { RemoteServices } from "./remote-services.ts";
import type { Remotes, RemoteVersions } from "./types.ts";

/** Serves what other servers serve: APIServices with a Service. */
export interface Aggregator {
  readonly remotes: Remotes;
  readonly versions: RemoteVersions;
  /** Begins to follow the APIServices. Until then there are none. */
  start(): void;
  stop(): void;
}

/** What it is made of. */
export interface AggregatorOptions {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What this server shows others: PEM. */
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined;
}

/** Makes one. */
export function createAggregator({
  objects,
  clock,
  random,
  logger,
  certificate,
}: AggregatorOptions): Aggregator {
  const services = new RemoteServices(objects);
  const client = new RemoteClient({ objects, clock, random, certificate });
  const checks = new RemoteChecks({ objects, services, client, clock, logger });
  const hasOpenApi = (name: string): boolean => checks.openApiPaths().has(name);
  return {
    remotes: remoteProxy({ services, client, clock, hasOpenApi }),
    versions: checks,
    start: () => {
      services.start();
      checks.start();
    },
    stop: () => {
      checks.stop();
      services.stop();
      client.close();
    },
  };
}
