import type { RedisFailure } from "./engine/failure.ts";
import type { ForkFacts, ServerFacts } from "./engine/server-facts.ts";
import type { ServerRecord } from "./users.ts";

/** A pod, and what its server says. */
export interface ServerView {
  readonly pod: string;
  readonly uid: string;
  readonly ordinal: number;
  /** Undefined while it has no address. */
  readonly host: string | undefined;
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  /** Of its StatefulSet's template. */
  readonly revision: string | undefined;
  readonly role: string | undefined;
  /** Undefined when it does not answer. */
  readonly answer: ServerAnswer | undefined;
  /** Undefined when it answers, or nobody has asked. */
  readonly failure: RedisFailure | undefined;
  /** Milliseconds without an answer. */
  readonly silentMs: number;
  /** When it was last found silent, by the clock's monotonic time. */
  readonly missedAt: number | undefined;
  /** Its machine takes connections while it does not answer. */
  readonly isReached: boolean;
  /** Milliseconds for which the offset of a replica has stood still. */
  readonly stalledMs: number;
  /** Before that it had moved all the time. */
  readonly wasBusy: boolean;
  /** What it said of its forks when it last said anything; undefined when it never did. */
  readonly forks: ForkFacts | undefined;
}

/** What a server says of itself. */
export interface ServerAnswer {
  readonly facts: ServerFacts;
  readonly users: readonly string[];
  readonly record: ServerRecord;
}

/** A server that answers. */
export type AnsweringServer = ServerView & { readonly answer: ServerAnswer; readonly host: string };

/** Those that answer. */
export function answering(servers: readonly ServerView[]): readonly AnsweringServer[] {
  return servers.filter((server): server is AnsweringServer => isAnswering(server));
}

/** Whether a server answers. */
export function isAnswering(server: ServerView | undefined): server is AnsweringServer {
  return server?.answer !== undefined && server.host !== undefined;
}
