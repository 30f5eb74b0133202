import type { RedisFailure } from "./failure.ts";

/** Where a server listens. */
export interface Address {
  /** An address or a name. */
  readonly host: string;
  readonly port: number;
}

/** As whom commands are given. */
export interface Login {
  readonly username: string;
  readonly password: string;
  /** Tried one after the other when the server does not take that one. */
  readonly others?: readonly string[];
}

/** A command and its arguments. */
export type Command = readonly string[];

/** What a server answers. An error is a value: in a pipeline it concerns one command, not the others. */
export type Reply = string | number | null | RedisFailure | readonly Reply[];

/** How long to wait, and for whom. */
export interface CallOptions {
  /** For all of it: to connect, to log in, and for the last reply. Default: the engine's. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * A server of Redis or Valkey, over a connection that is kept from call to call. It is opened by the first call, and
 * again by the first after it was lost.
 */
export interface RedisServer extends Disposable {
  readonly address: Address;
  /**
   * Sends all commands at once and gives their replies in their order. Rejects with a `RedisFailure` when not all have
   * been answered: then the connection is closed, and whether the unanswered ones were carried out is not known.
   */
  call(commands: readonly Command[], options?: CallOptions): Promise<readonly Reply[]>;
  /** Is told, once for each connection, when one ends that a call had opened and that nobody here closed. */
  onLost(listener: (why: RedisFailure) => void): void;
}

/** How a server is spoken to. */
export interface ServerOptions {
  /** All calls go over the first connection: when that is lost, they fail. What was read on it then still holds. */
  readonly isOneConnection?: boolean;
}

/** Where servers come from: the network, or a model of it. */
export interface Engine {
  /** Connects to nothing yet. Without a login commands are given as the user `default`. */
  server(address: Address, login?: Login, options?: ServerOptions): RedisServer;
}

/** A stream of bytes to a server. */
export interface Channel {
  write(bytes: Buffer): void;
  /** Ends it at once. Nothing is told to the listener after that. */
  destroy(): void;
}

/** Who hears of what comes out of a channel. */
export interface ChannelListener {
  data(bytes: Buffer): void;
  /** It has ended. Without an error the other side has closed it. */
  end(error?: unknown): void;
}

/** Opens channels. Rejects when the signal aborts. */
export type Dialer = (address: Address, listener: ChannelListener, signal: AbortSignal) => Promise<Channel>;
