/**
 * What FlowSchemas and PriorityLevelConfigurations of flowcontrol.apiserver.k8s.io say, as far as it decides about
 * requests: which of them share seats, and what becomes of those for which there is none.
 */
export interface FlowConfig {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevel[];
}

/** Which requests belong together. */
export interface FlowSchema {
  readonly name: string;
  /** The name of a priority level. */
  readonly level: string;
  /** Of the schemas that match, the one with the lowest counts. */
  readonly precedence: number;
  /** By what requests of one schema are told apart: each of these flows gets its share. */
  readonly distinguisher: "ByUser" | "ByNamespace" | undefined;
  readonly rules: readonly FlowRule[];
}

/** Whose requests for what. */
export interface FlowRule {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

/** A user, a group, or a service account (`*` for all of a namespace). */
export type FlowSubject =
  | { readonly kind: "User"; readonly name: string }
  | { readonly kind: "Group"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string };

/** Requests for resources; `*` stands for all. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusterScope: boolean;
}

/** Requests for paths; `*` stands for all, also at the end of a path. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Seats that flows share. */
export type PriorityLevel =
  | { readonly name: string; readonly type: "Exempt" }
  | {
      readonly name: string;
      readonly type: "Limited";
      /** Of the server's seats, in proportion to those of the other levels. */
      readonly shares: number;
      /** Undefined: what finds no seat is refused at once. */
      readonly queuing?: Queuing | undefined;
    };

/** Where requests wait. */
export interface Queuing {
  readonly queues: number;
  /** Each flow may use so many of them: one that fills all of its own leaves others to most of the rest. */
  readonly handSize: number;
  readonly queueLengthLimit: number;
}
