/** The object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
  /** Which part of it: `spec.containers{redis}`. Default: all of it. */
  readonly fieldPath?: string | undefined;
}

/** What happened, in Kubernetes' words: `reason` is one CamelCase word, `message` a sentence without secrets. */
export interface EventNote {
  readonly type?: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** What was done, CamelCase. Default: the reason. */
  readonly action?: string;
  /** Who says so. Default: the recorder's component. */
  readonly reporter?: string;
}

/**
 * Writes core/v1 Events in the background: equal ones become one with a count, similar ones are combined, floods are
 * cut. Never throws and never makes the caller wait; a lost event is logged.
 */
export interface EventRecorder {
  record(subject: EventSubject, note: EventNote): void;
  /** Resolves when everything recorded so far was written or given up. */
  flush(): Promise<void>;
}
