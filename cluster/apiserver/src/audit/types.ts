/** How much is told of a request. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** When it is told. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** What is told of which requests: a Policy of audit.k8s.io/v1. */
export interface AuditPolicy {
  /** The first that matches counts; what none matches is not told. */
  readonly rules: readonly AuditRule[];
}

/** A rule of a policy. Empty lists match everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces: readonly string[];
  readonly resources: readonly AuditResources[];
  readonly nonResourceURLs: readonly string[];
  /** Those of the rule, and those of the whole policy. */
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Resources of a group that a rule is about. */
export interface AuditResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Where lines go. Never waits, and never throws. */
export interface AuditSink {
  write(line: string): void;
}
