import {
  inBackground,
  silentLogger,
  Turns,
  type ApiHandler,
  type Clock,
  type Logger,
  type Random,
  type UpgradeHandler,
} from "@kedge/machinery";
import { snapshotOf, type Store } from "@kedge/store";
import { builtinPlugins } from "./admission/builtin-plugins.ts";
import { createResourceQuota } from "./admission/resource-quota/resource-quota.ts";
import { AdmissionChain } from "./admission/chain.ts";
import { createExternalAdmission } from "./admission/external-admission.ts";
import type { AdmissionPlugin } from "./admission/types.ts";
import type { AuditOptions } from "./audit/auditor.ts";
import { createAccess } from "./auth/access.ts";
import { defaultPolicy } from "./auth/rbac/bootstrap/default-policy.ts";
import type { Attributes } from "./auth/types.ts";
import { reconcilePolicy } from "./auth/rbac/bootstrap/reconcile-policy.ts";
import { parsePolicy } from "./auth/rbac/bootstrap/parse-policy.ts";
import { noEscalation } from "./admission/rbac-escalation.ts";
import type { Core } from "./core.ts";
import {
  createCustomResources,
  definitionResource,
  type CustomResources,
  type CustomResourcesOptions,
} from "./custom/index.ts";
import { YamlReader } from "./decode/yaml-reader.ts";
import { encryptingStore } from "./encryption/encrypting-store.ts";
import { rewriteStale } from "./encryption/rewrite-stale.ts";
import { createTransformer, type Transformer } from "./encryption/transformer.ts";
import type { EncryptionConfig } from "./encryption/types.ts";
import { createDiscovery } from "./discovery/index.ts";
import type { HealthCheck } from "./health/health.ts";
import { bootstrapObjects, builtinResources, metricsResources } from "./kinds/index.ts";
import { certificatePlugins } from "./admission/certificate-plugins.ts";
import { registerApiServices } from "./kinds/api-service/register-api-services.ts";
import { builtinFacts } from "./kinds/resource-of.ts";
import type { NodeStats, PodConnects, ProxyConnects } from "./node-proxy/index.ts";
import { createAggregator } from "./aggregation/index.ts";
import { advertise } from "./advertise.ts";
import { createFlows } from "./flow-control/create-flows.ts";
import { createMissing, createObjects } from "./objects.ts";
import { objectMetrics, processMetrics, RequestMetrics } from "./metrics/index.ts";
import { createOpenApi } from "./openapi/index.ts";
import { RequestLimits } from "./pipeline/request-limits.ts";
import type { Sender } from "./pipeline/callers.ts";
import { Pipeline } from "./pipeline/pipeline.ts";
import { createRegistry } from "./registry/registry.ts";
import type { Objects, Registry, Resource } from "./registry/types.ts";
import { root } from "./storage/keys.ts";
import { Storage } from "./storage/storage.ts";
import { tellClientAuthority, type FrontProxy } from "./tell-client-authority.ts";
import { WebhookClient } from "./webhook-client/webhook-client.ts";

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
  /** The ways through it to pods, services and nodes: `proxyConnects(…)`. Default: none. */
  readonly proxies?: ProxyConnects | undefined;
  /** The way to what nodes and pods use: `nodeStats(…)`. Default: metrics.k8s.io is not served. */
  readonly nodeStats?: NodeStats | undefined;
  /**
   * The authority of client certificates, in PEM: told to servers beside this one (metrics endpoints, extension servers)
   * by the ConfigMap `extension-apiserver-authentication`. Default: they are told nothing.
   */
  readonly clientAuthority?: string | undefined;
  /**
   * How it shows servers behind APIServices that it speaks for a user: a certificate and its authority, in PEM, of which
   * they learn by the same ConfigMap. Default: they cannot know, and refuse most requests.
   */
  readonly frontProxy?: FrontProxy | undefined;
  /** Signs the tokens of service accounts: a private key in PEM, RSA or P-256. Default: none are issued. */
  readonly serviceAccountKey?: string | undefined;
  /**
   * Whether the cluster gets Kubernetes' own roles and bindings. Default true; simulations of thousands of clusters, in
   * which only `system:masters` ask, start faster without.
   */
  readonly defaultRoles?: boolean | undefined;
  /** Roles and bindings that the cluster gets beside those, in the form of `auth/rbac/bootstrap/parse-policy.ts`. */
  readonly roles?: string | undefined;
  /** Is told who asked for what, and whether they may. */
  readonly onDecided?: ((attributes: Attributes, isAllowed: boolean) => void) | undefined;
  /** Which kinds are encrypted in the store, and how: `parseEncryptionConfig(…)`. Default: none. */
  readonly encryption?: EncryptionConfig | undefined;
  /** What is told of which requests, and where: `parseAuditPolicy(…)` and an `AuditFile`. Default: nothing. */
  readonly audit?: AuditOptions | undefined;
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
  /** Resolves when the server follows its store no more, because it was closed or because it could not: see the log. */
  ended(): Promise<void>;
  /** Ends watches and background work. */
  close(): Promise<void>;
}

const fiveMinutes = 5 * 60_000;
const historyBytes = 64 * 1024 * 1024;

/** Makes an API server over a store. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { store, clock, random, logger = silentLogger } = options;
  const transformer = createTransformer(options.encryption, { root, random });
  const { serviceRange = "10.96.0.0/12", serverPort = 6443 } = options;
  const facts = builtinFacts();
  const objects = createObjects(() => core);
  const { serviceAccountKey } = options;
  const access = createAccess({ objects, clock, random, serviceAccountKey });
  const { rbac, authorizer, authenticator } = access;
  const definitions = definitionResource(facts);
  const registry = createRegistry([
    ...builtinResources(
      { serviceRange, podConnects: options.podConnects, proxies: options.proxies, access },
      facts,
    ),
    ...(options.nodeStats === undefined ? [] : metricsResources(options.nodeStats)),
    definitions,
  ]);
  const { compactionInterval = fiveMinutes } = options;
  const storage = new Storage({
    store: encryptingStore(store, transformer),
    clock,
    logger,
    compactionInterval,
    historyBytes,
  });
  const yaml = new YamlReader(clock);
  const client = new WebhookClient({ objects, clock, random });
  const external = createExternalAdmission({
    objects,
    client,
    authorizer,
    clock,
    random,
    table: facts.table,
    yaml,
  });
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
      ...external.plugins,
      noEscalation(rbac, authorizer),
      ...certificatePlugins(authorizer),
      createResourceQuota(),
    ]),
    table: facts.table,
    yaml,
  };
  const certificate = options.frontProxy?.client;
  const aggregator = createAggregator({ objects, clock, random, logger, certificate });
  const requests = new RequestMetrics(clock);
  const started = clock.now();
  const paths = {
    discovery: createDiscovery(registry, aggregator.versions),
    openApi: createOpenApi({ registry, table: facts.table, clock, remotes: aggregator.versions }),
    checks: healthChecks(storage, clock),
    tokens: access.tokens,
    metrics: () => [...requests.families(), ...objectMetrics(registry, storage), ...processMetrics(started)],
    snapshot: () => snapshotOf(store),
  };
  const flows = createFlows({ objects, clock, logger });
  const limits = new RequestLimits(flows.control, clock);
  const pipeline = new Pipeline({
    core,
    paths,
    requests,
    remotes: aggregator.remotes,
    callers: { authenticator, authorizer, onDecided: options.onDecided, audit: options.audit },
    limits,
  });
  const background = new Background(core, definitions, { client, random });
  let stopRegistering: (() => void) | undefined;
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
      if (options.encryption !== undefined)
        inBackground(encryptAll(store, transformer, { clock, logger }), (error) =>
          logger.error("Not all that should be encrypted could be written again", { error }),
        );
      access.start();
      external.start();
      await background.start(async () => {
        await Promise.all([
          createMissing(objects, bootstrapObjects({ serviceRange, serverPort })),
          flows.start(),
        ]);
        const own = parsePolicy(options.roles ?? "");
        await reconcilePolicy(objects, options.defaultRoles === false ? own : [...defaultPolicy(), ...own]);
        const { advertiseAddress: address, clientAuthority, frontProxy } = options;
        if (clientAuthority !== undefined)
          await tellClientAuthority(objects, { clientAuthority, frontProxy });
        if (address !== undefined) await advertise(objects, { address, port: serverPort });
        stopRegistering = await registerApiServices(objects, (error) =>
          logger.warn("The APIServices of custom groups are not up to date", { error }),
        );
        aggregator.start();
      });
    },
    ended: () =>
      new Promise((resolve) => {
        storage.onEnd(resolve);
        if (storage.failure !== undefined) resolve();
      }),
    close: async () => {
      stopRegistering?.();
      flows.stop();
      aggregator.stop();
      limits.close();
      background.stop();
      access.stop();
      external.stop();
      client.close();
      await storage.close();
    },
  };
}

/** What was stored before its kind was encrypted, or with an older key, is written again. */
async function encryptAll(
  store: Store,
  transformer: Transformer,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  const count = await rewriteStale(store, transformer, { root, clock });
  if (count > 0) logger.info("Wrote objects again with the first encryption key", { count });
}

/** So long the store may take to answer that it is well, in milliseconds: kube-apiserver's patience with etcd. */
const storePatience = 2000;

function healthChecks(storage: Storage, clock: Clock): readonly HealthCheck[] {
  const following = async (): Promise<void> => {
    if (storage.failure !== undefined) throw storage.failure;
    // What is in this process is well when it follows.
    if (!storage.store.isShared) return;
    using limit = clock.deadline(storePatience);
    const late = new Promise<never>((_resolve, reject) => {
      limit.signal.addEventListener("abort", () => reject(new Error("the store did not answer in time")));
    });
    await Promise.race([storage.store.revision(), late]);
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
  readonly #conversion: CustomResourcesOptions["conversion"];
  #custom: CustomResources | undefined;
  #stopWarming: (() => void) | undefined;

  constructor(core: Core, definitions: Resource, conversion: CustomResourcesOptions["conversion"]) {
    this.#core = core;
    this.#definitions = definitions;
    this.#conversion = conversion;
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
      conversion: this.#conversion,
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
