/**
 * What FlowSchemas and PriorityLevelConfigurations of flowcontrol.apiserver.k8s.io say, as far as it decides about
 * requests: which of them share seats, and what becomes of those for which there is none.
 */

/** Which requests belong together. */
export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  /** The name of a priority level. */
  readonly level: string;
  /** Of the schemas that match, the one with the lowest counts; of several with the same, the first by name. */
  readonly precedence: number;
  /** By what requests of one schema are told apart: each of these flows gets its share. */
  readonly distinguisher: "ByUser" | "ByNamespace" | undefined;
  readonly rules: readonly FlowRule[];
}

/** Whose requests for what. */
export interface FlowRule {
  /** Keys of users, groups and service accounts: `subjectKeys`. */
  readonly subjects: readonly string[];
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

/** Requests for resources; `*` stands for all. */
export interface ResourceRule {
  readonly verbs: ReadonlySet<string>;
  readonly apiGroups: ReadonlySet<string>;
  /** Those of subresources too: `pods/log`. */
  readonly resources: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly clusterScope: boolean;
}

/** Requests for paths; `*` stands for all. */
export interface NonResourceRule {
  readonly verbs: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  /** What is below these matches, too: `/healthz/`. */
  readonly prefixes: ReadonlySet<string>;
  /** Of the prefixes. */
  readonly longestPrefix: number;
}

/** Seats that flows share. */
export interface PriorityLevel {
  readonly name: string;
  readonly uid: string;
  /** Of the server's seats, in proportion to those of the other levels. */
  readonly shares: number;
  /** Of its seats, what others may use while it does not need them. */
  readonly lendablePercent: number;
  /** What it may use of others' seats, in percent of its own. Undefined: all that they lend. */
  readonly borrowingLimitPercent: number | undefined;
  /** `Exempt`: its requests need no seats. */
  readonly type: "Exempt" | "Limited";
  /** Undefined: what finds no seat is refused at once. */
  readonly queuing: Queuing | undefined;
}

/** Where requests wait. */
export interface Queuing {
  readonly queues: number;
  /** Each flow may use so many of them: one that fills all of its own leaves others to most of the rest. */
  readonly handSize: number;
  readonly queueLengthLimit: number;
}
