import {
  silentLogger,
  Turns,
  type ApiHandler,
  type Clock,
  type Logger,
  type Random,
  type UpgradeHandler,
} from "@kedge/machinery";
import type { Store } from "@kedge/store";
import { builtinPlugins } from "./admission/builtin-plugins.ts";
import { AdmissionChain } from "./admission/chain.ts";
import type { AdmissionPlugin } from "./admission/types.ts";
import { createAccess } from "./auth/access.ts";
import { defaultPolicy } from "./auth/rbac/bootstrap/default-policy.ts";
import type { Attributes } from "./auth/types.ts";
import { reconcilePolicy } from "./auth/rbac/bootstrap/reconcile-policy.ts";
import { parsePolicy } from "./auth/rbac/bootstrap/parse-policy.ts";
import { noEscalation } from "./auth/rbac/escalation.ts";
import type { Core } from "./core.ts";
import { createCustomResources, definitionResource, type CustomResources } from "./custom/index.ts";
import { YamlReader } from "./decode/yaml-reader.ts";
import { createDiscovery } from "./discovery/index.ts";
import type { HealthCheck } from "./health/health.ts";
import { bootstrapObjects, builtinResources, metricsResources } from "./kinds/index.ts";
import { builtinFacts } from "./kinds/resource-of.ts";
import type { NodeStats, PodConnects } from "./node-proxy/index.ts";
import { advertise } from "./advertise.ts";
import { createMissing, createObjects } from "./objects.ts";
import { createOpenApi } from "./openapi/index.ts";
import { Pipeline, type Sender } from "./pipeline/pipeline.ts";
import { createRegistry } from "./registry/registry.ts";
import type { Objects, Registry, Resource } from "./registry/types.ts";
import { Storage } from "./storage/storage.ts";

/** What an API server is made of. */
export interface ApiServerOptions {
  /** Where it keeps its objects. Stays open when the server closes. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger | undefined;
  /** Where services get their addresses from. Default 10.96.0.0/12. */
  readonly serviceRange?: string | undefined;
  /** Where the HTTPS door will listen: what the service `kubernetes` leads to. Default 6443. */
  readonly serverPort?: number | undefined;
  /** Where pods reach it, by that port: what the service `kubernetes` leads to. Default: nowhere. */
  readonly advertiseAddress?: string | undefined;
  /** The way to the nodes of pods, for logs and exec: `podConnects(…)`. Default: none. */
  readonly podConnects?: PodConnects | undefined;
  /** The way to what nodes and pods use: `nodeStats(…)`. Default: metrics.k8s.io is not served. */
  readonly nodeStats?: NodeStats | undefined;
  /** Signs the tokens of service accounts: a private key in PEM, RSA or P-256. Default: none are issued. */
  readonly serviceAccountKey?: string | undefined;
  /**
   * Whether the cluster gets Kubernetes' own roles and bindings. Default true; simulations of thousands of clusters, in
   * which only `system:masters` ask, start faster without.
   */
  readonly defaultRoles?: boolean | undefined;
  /** Roles and bindings that the cluster gets beside those, in the form of `auth/rbac/bootstrap/parse-policy.ts`. */
  readonly roles?: string | undefined;
  /** Is told of each request that its sender may not make. */
  readonly onRefused?: ((attributes: Attributes) => void) | undefined;
  /** Plug-ins of admission beside the built-in ones, after them. Default: none. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Milliseconds between compactions of the store. Default five minutes. */
  readonly compactionInterval?: number | undefined;
}

/** A way in: what both `@kedge/client`'s in-process transport and the HTTPS door take. */
export interface Door {
  readonly handle: ApiHandler;
  readonly upgrade: UpgradeHandler;
}

/** The API server's core. Nothing listens: doors do. */
export interface ApiServer extends Door {
  readonly objects: Objects;
  readonly registry: Registry;
  /** The door of a user who needs no credentials any more; without one, requests show theirs in headers. */
  doorFor(user: Sender): Door;
  /** Reads the store and creates what every cluster has. Requests may come when it has resolved. */
  start(): Promise<void>;
  /** Ends watches and background work. */
  close(): Promise<void>;
}

const fiveMinutes = 5 * 60_000;
const historyBytes = 64 * 1024 * 1024;

/** Makes an API server over a store. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { store, clock, random, logger = silentLogger } = options;
  const { serviceRange = "10.96.0.0/12", serverPort = 6443 } = options;
  const facts = builtinFacts();
  const objects = createObjects(() => core);
  const { serviceAccountKey } = options;
  const access = createAccess({ objects, clock, random, serviceAccountKey });
  const { rbac, authorizer, authenticator } = access;
  const definitions = definitionResource(facts);
  const registry = createRegistry([
    ...builtinResources({ serviceRange, podConnects: options.podConnects, access }, facts),
    ...(options.nodeStats === undefined ? [] : metricsResources(options.nodeStats)),
    definitions,
  ]);
  const { compactionInterval = fiveMinutes } = options;
  const storage = new Storage({ store, clock, logger, compactionInterval, historyBytes });
  const yaml = new YamlReader(clock);
  const core: Core = {
    clock,
    turns: new Turns(clock),
    random,
    logger,
    registry,
    storage,
    objects,
    admission: new AdmissionChain([
      ...builtinPlugins,
      ...(options.admission ?? []),
      noEscalation(rbac, authorizer),
    ]),
    table: facts.table,
    yaml,
  };
  const paths = {
    discovery: createDiscovery(registry),
    openApi: createOpenApi({ registry, table: facts.table, clock }),
    checks: healthChecks(storage),
    tokens: access.tokens,
  };
  const pipeline = new Pipeline({ core, paths, authenticator, authorizer, onRefused: options.onRefused });
  const background = new Background(core, definitions);
  const doorFor = (user: Sender): Door => ({
    handle: (request) => pipeline.handle(request, user),
    upgrade: (request) => pipeline.upgrade(request, user),
  });
  return {
    ...doorFor(undefined),
    doorFor,
    objects,
    registry,
    start: async () => {
      await storage.start();
      access.start();
      await background.start(async () => {
        await createMissing(objects, bootstrapObjects({ serviceRange, serverPort }));
        const own = parsePolicy(options.roles ?? "");
        await reconcilePolicy(objects, options.defaultRoles === false ? own : [...defaultPolicy(), ...own]);
        const { advertiseAddress: address } = options;
        if (address !== undefined) await advertise(objects, { address, port: serverPort });
      });
    },
    close: async () => {
      background.stop();
      access.stop();
      await storage.close();
    },
  };
}

function healthChecks(storage: Storage): readonly HealthCheck[] {
  const following = (): void => {
    if (storage.failure !== undefined) throw storage.failure;
  };
  return [
    { name: "ping", check: () => undefined },
    { name: "log", check: () => undefined },
    { name: "etcd", check: following },
  ];
}

/** What goes on beside requests. */
class Background {
  readonly #core: Core;
  readonly #definitions: Resource;
  #custom: CustomResources | undefined;
  #stopWarming: (() => void) | undefined;

  constructor(core: Core, definitions: Resource) {
    this.#core = core;
    this.#definitions = definitions;
  }

  async start(bootstrap: () => Promise<void>): Promise<void> {
    const { registry, objects, clock, logger } = this.#core;
    this.#warmCaches();
    this.#stopWarming = registry.onChange(() => this.#warmCaches());
    await bootstrap();
    this.#custom = createCustomResources({
      objects,
      definitions: this.#definitions,
      clock,
      logger,
    });
  }

  stop(): void {
    this.#custom?.stop();
    this.#stopWarming?.();
  }

  /** The history that watches begin from starts when a resource is served, not when it is first asked for. */
  #warmCaches(): void {
    const { registry, storage } = this.#core;
    for (const { storage: name } of registry.all()) storage.cache(name);
  }
}
