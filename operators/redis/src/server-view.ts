import type { Answer, Sighting } from "./pulse/types.ts";
import type { ServerRecord } from "./users.ts";

/** A pod, and what is known of its server. */
export interface ServerView extends Omit<Sighting, "answer"> {
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
}

/** What a server says of itself. */
export interface ServerAnswer extends Answer {
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
