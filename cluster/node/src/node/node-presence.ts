import type { Client } from "@kedge/client";
import { formatMicroTime, isAlreadyExists, isNotFound, type Clock, type Logger } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { Node } from "@kedge/machinery/kinds/core/v1";
import type { KnownImage } from "../oci/image-record.ts";
import { nodeImages } from "./node-images.ts";
import { nodeLabels, nodeSpec, nodeStatus, saysTheSame, type NodeFacts } from "./node-object.ts";

/** The kubelet's numbers. */
const leaseSeconds = 40;
const renewMs = 10_000;
const statusMs = 300_000;
const retryMs = 1_000;
const leaseNamespace = "kube-node-lease";

/** What the presence of a node needs. */
export interface NodePresenceOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly facts: NodeFacts;
  /** What the node has to run. Default: nothing is said of it. */
  readonly images?: () => Promise<readonly KnownImage[]>;
  /** The conditions of a shortage that hold now. Default: none. */
  readonly pressures?: () => ReadonlySet<string>;
}

/** Says that the node is there: its object with its status, and a lease that it renews while it lives. */
export class NodePresence {
  readonly #options: NodePresenceOptions;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #pause = new AbortController();

  constructor(options: NodePresenceOptions) {
    this.#options = options;
  }

  /** Makes the node known; tries until it works or the signal aborts. */
  async register(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#report(signal);
        await this.#renew(signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        this.#options.logger.warn("The node could not be registered yet", { error });
        await this.#options.clock.sleep(retryMs, signal);
      }
    }
  }

  /** Renews the lease every ten seconds, and the status every five minutes or when it is not what it should be. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    for (;;) {
      this.#pause = new AbortController();
      await clock.sleep(renewMs, AbortSignal.any([signal, this.#pause.signal])).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#renew(signal);
        await this.#report(signal);
      } catch (error) {
        if (!signal.aborted) logger.warn("The node could not say that it is there", { error });
      }
    }
  }

  /** Something about the node has changed: says so now. */
  hurry(): void {
    this.#pause.abort();
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { client, clock, facts } = this.#options;
    const nodes = client.of(Node);
    const key = { name: facts.name };
    const found = await nodes.get(key, { signal }).catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      return await nodes.create(
        { metadata: { name: facts.name, labels: nodeLabels(facts) }, spec: nodeSpec(facts) },
        { signal },
      );
    });
    const missing = Object.entries(nodeLabels(facts)).filter(
      ([name, value]) => found.metadata.labels?.[name] !== value,
    );
    if (missing.length > 0) {
      await nodes.patch(key, { merge: { metadata: { labels: Object.fromEntries(missing) } } }, { signal });
    }
    // Once it has a range it keeps it; who made the node may have said none.
    if (facts.podCIDR !== undefined && found.spec?.podCIDR === undefined)
      await nodes.patch(key, { merge: { spec: nodeSpec(facts) } }, { signal });
    const images = nodeImages((await this.#options.images?.()) ?? []);
    const pressures = this.#options.pressures?.() ?? new Set();
    const status = nodeStatus(facts, found, { now: clock.now(), pressures, images });
    const isDue = clock.monotonic() - this.#reportedAt >= statusMs;
    if (!isDue && saysTheSame(found.status, status)) return;
    await nodes.status.patch(key, { strategic: { status } }, { signal });
    this.#reportedAt = clock.monotonic();
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, clock, facts } = this.#options;
    const leases = client.of(Lease);
    const key = { namespace: leaseNamespace, name: facts.name };
    const spec = {
      holderIdentity: facts.name,
      leaseDurationSeconds: leaseSeconds,
      renewTime: formatMicroTime(clock.now()),
    };
    try {
      await leases.patch(key, { merge: { spec } }, { signal });
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    // The node owns its lease, so that both go together.
    const node = await client.of(Node).get({ name: facts.name }, { signal });
    const owner = { apiVersion: "v1", kind: "Node", name: facts.name, uid: node.metadata.uid };
    await leases
      .create({ metadata: { ...key, ownerReferences: [owner] }, spec }, { signal })
      .catch(ignoreExisting);
  }
}

function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
