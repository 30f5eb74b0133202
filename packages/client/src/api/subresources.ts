import type { KeyIn, Scope, StoredMeta } from "@kedge/machinery";
import type { TokenRequest } from "@kedge/machinery/kinds/authentication/v1";
import type { Scale } from "@kedge/machinery/kinds/autoscaling/v1";
import type { CommandSession } from "../streams/command-session.ts";
import type { ExecResult, ExecToEndOptions } from "../streams/exec-to-end.ts";
import type { CommandStreams, ExecOptions } from "../streams/exec.ts";
import type { PortForwardListener } from "../streams/listen-port-forward.ts";
import type { LogOptions } from "../streams/logs.ts";
import type { PortForwardConnection } from "../streams/port-forward.ts";
import type { CallOptions, DeleteOptions, PartClient, WriteOptions } from "./types.ts";

/** What each subresource can do, under the name that it has in the path. */
export interface SubresourceApi<T, S extends Scope> {
  readonly status: PartClient<T, S>;
  readonly approval: PartClient<T, S>;
  readonly ephemeralcontainers: PartClient<T, S>;
  readonly resize: PartClient<T, S>;
  readonly finalize: Pick<PartClient<T, S>, "replace">;
  readonly scale: Omit<PartClient<StoredScale, S>, "apply">;
  readonly eviction: EvictionClient<S>;
  readonly binding: BindingClient<S>;
  readonly token: TokenClient<S>;
  readonly log: LogClient<S>;
  readonly exec: ExecClient<S>;
  readonly attach: AttachClient<S>;
  readonly portforward: PortForwardClient<S>;
}

/** The scale of a stored object: it has that object's name and version. */
export type StoredScale = Scale & { metadata: StoredMeta };

/** The subresources that a kind's descriptor names. */
export type SubresourcesOf<T, S extends Scope, Sub extends string> = Pick<
  SubresourceApi<T, S>,
  Sub & keyof SubresourceApi<T, S>
>;

/** Asks for a pod's deletion; a disruption budget may refuse with 429. */
export interface EvictionClient<S extends Scope> {
  create(key: KeyIn<S>, options?: DeleteOptions): Promise<void>;
}

/** Puts a pod on a node. */
export interface BindingClient<S extends Scope> {
  create(key: KeyIn<S>, node: string, options?: WriteOptions): Promise<void>;
}

/** Issues tokens of a service account. */
export interface TokenClient<S extends Scope> {
  create(key: KeyIn<S>, spec: Partial<TokenRequest["spec"]>, options?: WriteOptions): Promise<TokenRequest>;
}

/** Reads what a container wrote. */
export interface LogClient<S extends Scope> {
  /** Line by line, with `follow` for as long as the container runs. `timeout` is for the beginning only. */
  lines(key: KeyIn<S>, options?: LogOptions & CallOptions): AsyncIterable<string>;
  /** All of it as one text. */
  text(key: KeyIn<S>, options?: Omit<LogOptions, "follow"> & CallOptions): Promise<string>;
}

/** Runs commands in containers. */
export interface ExecClient<S extends Scope> {
  /** With streams in both directions. `timeout` is for the opening only. */
  open(key: KeyIn<S>, options: ExecOptions & CallOptions): Promise<CommandSession>;
  /** To its end; `timeout` is for all of it. */
  run(key: KeyIn<S>, options: ExecToEndOptions & CallOptions): Promise<ExecResult>;
}

/** Joins the streams of a container's main process. */
export interface AttachClient<S extends Scope> {
  open(key: KeyIn<S>, options?: CommandStreams & CallOptions): Promise<CommandSession>;
}

/** Reaches a pod's ports. */
export interface PortForwardClient<S extends Scope> {
  /** One connection. `timeout` is for the opening only. */
  connect(key: KeyIn<S>, options: { readonly port: number } & CallOptions): Promise<PortForwardConnection>;
  /** A local port that leads there, for as many connections as come. `timeout` is for the opening of each. */
  listen(key: KeyIn<S>, options: ForwardOptions & Omit<CallOptions, "signal">): Promise<PortForwardListener>;
}

/** What a local port leads to. */
export interface ForwardOptions {
  /** The pod's port. */
  readonly port: number;
  /** Default 0: any free one. */
  readonly localPort?: number;
  /** One connection failed; the others go on. */
  readonly onError?: (error: Error) => void;
}
