/** A behaviour of an API server, as requests to be made one after the other. What must come back is recorded. */
export interface Script {
  /** Its area and file: `watch/bookmarks`. */
  readonly name: string;
  /** The behaviour in a sentence. */
  readonly title: string;
  /** Not together with other scripts: it looks at what all share. */
  readonly alone: boolean;
  /** Variables from the start, besides `ns` and `id`. */
  readonly variables: Variables;
  /** How its webhooks answer, by their names. The player serves them. */
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  /** Requests afterwards, whatever happened. Their answers do not matter. */
  readonly cleanup: readonly RequestStep[];
  /** The text of the file. What a script itself says is never masked in its transcript. */
  readonly text: string;
}

/** Values for `${name}` in paths, queries, headers and bodies. */
export type Variables = Readonly<Record<string, string>>;

/** What a script does next. */
export type Step = RequestStep | WatchStep | EventsStep;

/** Sends a request and records the answer. */
export interface RequestStep extends Request, Shape {
  readonly kind: "request";
  /** Asks again until the answer is so; only that answer is recorded. */
  readonly until?: Condition;
  readonly save: Saves;
}

/** Opens a watch that goes on in the background. Its answer is recorded here, its events by `EventsStep`s. */
export interface WatchStep extends Request, Shape {
  readonly kind: "watch";
  readonly watch: string;
  readonly save: Saves;
}

/** Records the next events of a watch. */
export interface EventsStep extends Shape {
  readonly kind: "events";
  readonly events: string;
  /** So many, or all through the first of a type, or all until the server ends the watch. */
  readonly take: number | EventType | "end";
  /** Pointers into the list of these events: `/0/object/metadata/resourceVersion`. */
  readonly save: Saves;
}

/** The types that Kubernetes has. */
export const eventTypes = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"] as const;
/** One of them. */
export type EventType = (typeof eventTypes)[number];

/** A request with variables in it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** As whom. The admin unless given; anonymous: without any credentials but those in the headers. */
  readonly as?: Impersonation | "anonymous";
  readonly body?: RequestBody;
}

/** A value that is sent as JSON, or text or bytes that are sent as they are. */
export type RequestBody =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly base64: string };

/** The user that the admin acts as. */
export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Both, where both are given. */
export interface Condition {
  readonly status?: number;
  /** Contained in the answer: objects by the given keys, lists by having such an element for each given one. */
  readonly body?: unknown;
}

/** Variable by JSON pointer into the body, or by `header:<name>`. */
export type Saves = Readonly<Record<string, string>>;

/** What of an answer is recorded. JSON pointers; `*` stands for every key or index. */
export interface Shape {
  /** Only these places. */
  readonly only?: readonly string[];
  /** All but these places. */
  readonly ignore?: readonly string[];
  /** Lists whose order means nothing. */
  readonly unordered?: readonly string[];
}
