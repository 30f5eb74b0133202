import {
  realClock,
  realRandom,
  silentLogger,
  type Clock,
  type Kind,
  type Logger,
  type ObjectMeta,
  type Random,
  type Scope,
} from "@kedge/machinery";
import type { ClientConfig } from "./config/types.ts";
import { Discovery } from "./discovery/discovery.ts";
import { NetworkTransport } from "./transport/network-transport.ts";
import type { Transport } from "./transport/types.ts";
import { call, type CallContext } from "./api/call.ts";
import { fromWire } from "./api/from-wire.ts";
import { KindClient } from "./api/kind-client.ts";
import { readJson, readText } from "./transport/read-body.ts";
import { ResourceVerbs } from "./api/resource-verbs.ts";
import type { SubresourcesOf } from "./api/subresources.ts";
import type { CallOptions, PartialObjectMetadata, ResourceClient, WriteObserver } from "./api/types.ts";
import type { Warning } from "./api/warnings.ts";

/** What a client may be told. */
export interface ClientOptions {
  /** Default: the machine's own. */
  readonly clock?: Clock;
  /** Default: the machine's own. */
  readonly random?: Random;
  /** Its part before the slash is the default field manager. Default `kedge/…`. */
  readonly userAgent?: string;
  /** Called for each warning of the server's. Default: they are dropped. */
  readonly onWarning?: (warning: Warning) => void;
  /** Gets calls at debug, retries at info. Default: silent. */
  readonly logger?: Logger;
  /** Leave `metadata.managedFields` out of everything that is read: they are half of most objects. Default false. */
  readonly dropManagedFields?: boolean;
  /** See `Client.observed`. Default: nobody is told. */
  readonly onWrite?: WriteObserver;
}

/** The verbs of a kind, and those of the subresources that its descriptor names. */
export type ClientOf<T, S extends Scope, Sub extends string> = ResourceClient<T, S> &
  SubresourcesOf<T, S, Sub>;

const metadataAs = (as: string): string => `application/json;as=${as};g=meta.k8s.io;v=v1`;

/** A client of one API server. Cheap to keep, expensive to make again: its connections are kept. */
export class Client {
  /** What the server serves, and which kind a name means. */
  readonly discovery: Discovery;
  readonly #context: CallContext;

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.#context = {
      transport,
      clock: options.clock ?? realClock,
      random: options.random ?? realRandom,
      userAgent: options.userAgent ?? "kedge/0.1.0",
      onWarning: options.onWarning ?? (() => undefined),
      logger: options.logger ?? silentLogger,
      dropManagedFields: options.dropManagedFields ?? false,
      onWrite: options.onWrite ?? (() => () => undefined),
    };
    this.discovery = new Discovery(this.#context);
  }

  /**
   * The verbs of a kind: `client.of(Pod).get({ namespace: "default", name: "web-0" })`. For kinds that are known
   * only at run time: `client.of(await client.discovery.kind({ group, version, kind }))`.
   */
  of<T, S extends Scope, Sub extends string>(kind: Kind<T, S, Sub>): ClientOf<T, S, Sub> {
    // The verbs work on any JSON; that it is a `T` is what the descriptor says of the wire.
    return fromWire<ClientOf<T, S, Sub>>(new KindClient<T>(kind, this.#context));
  }

  /** Reads only the metadata of a kind's objects, which the server cuts out. */
  metadataOf<T extends { metadata: ObjectMeta }, S extends Scope>(
    kind: Kind<T, S>,
  ): Pick<ResourceClient<PartialObjectMetadata<T["metadata"]>, S>, "get" | "list" | "watch"> {
    const accept = {
      one: metadataAs("PartialObjectMetadata"),
      many: metadataAs("PartialObjectMetadataList"),
    };
    const verbs = new ResourceVerbs(kind, this.#context, accept);
    return fromWire<ResourceClient<PartialObjectMetadata<T["metadata"]>, S>>(verbs);
  }

  /**
   * The same client, over the same connections. Of each write through it `observe` is told before the writer is: caches
   * show their own writes that way. It must not throw.
   */
  observed(observe: WriteObserver): Client {
    const { transport, onWrite, ...context } = this.#context;
    return new Client(transport, {
      ...context,
      onWrite() {
        const tell = [onWrite(), observe()];
        return (write) => {
          for (const each of tell) each(write);
        };
      },
    });
  }

  /** The same client, by a transport around its own, which may look at each request of it: also at repeated ones. */
  through(around: (transport: Transport) => Transport): Client {
    const { transport, ...context } = this.#context;
    return new Client(around(transport), context);
  }

  /** Any path of the server's, as JSON: `/version`. */
  getJson(path: string, options: CallOptions = {}): Promise<unknown> {
    return call(this.#context, { method: "GET", path }, options, (answer) => readJson(answer));
  }

  /** Any path of the server's, as text: `/readyz?verbose`. */
  getText(path: string, options: CallOptions = {}): Promise<string> {
    return call(this.#context, { method: "GET", path, accept: "*/*" }, options, (answer) =>
      readText(answer, longestText, "fail"),
    );
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#context.transport.close();
  }
}

const longestText = 16 << 20;

/** A client over the network. */
export function connect(config: ClientConfig, options: ClientOptions = {}): Client {
  return new Client(new NetworkTransport(config, { clock: options.clock ?? realClock }), options);
}
