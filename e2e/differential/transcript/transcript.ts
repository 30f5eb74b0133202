/** What a server answered to a script, with everything masked that differs from run to run. */
export interface Transcript {
  readonly title: string;
  readonly steps: readonly TranscriptStep[];
  /** Why the script did not come to its end. Never in a recorded transcript. */
  readonly stopped?: string;
}

/** One step: the answer to a request, or events of a watch. */
export type TranscriptStep = RecordedAnswer | RecordedEvents;

/** An answer. */
export interface RecordedAnswer {
  /** The request as the script has it, to be read by people. */
  readonly request: string;
  readonly status: number;
  /** Those that clients rely on, where they are not the usual ones. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A JSON value. */
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly text?: string;
  /** The form of a body that is neither. */
  readonly binary?: string;
}

/** Events, and what ended their coming if something did. */
export interface RecordedEvents {
  /** The name of the watch. */
  readonly events: string;
  /** By pointer, where the script wants only some places. */
  readonly list: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly end?: string;
}
