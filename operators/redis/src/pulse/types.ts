import type { RedisFailure } from "../engine/failure.ts";
import type { ForkFacts, ServerFacts } from "../engine/server-facts.ts";
import type { Login } from "../engine/types.ts";

/** A server to look at. */
export interface PulseTarget {
  /** Of its pod: another one is another server. */
  readonly uid: string;
  readonly host: string;
  readonly login: Login;
}

/** What a server answered. */
export interface Answer {
  readonly facts: ServerFacts;
  readonly users: readonly string[];
}

/** What one look has found: an answer, or none, and since when it was waited for. Nothing, when nobody was asked. */
export interface Found {
  readonly answer?: Answer;
  readonly failure?: RedisFailure;
  readonly asked?: number;
}

/** What is known of a server. */
export interface Sighting {
  /** To this very look: what was said before may not be so any more. */
  readonly answer: Answer | undefined;
  /** Why there was no answer. */
  readonly failure: RedisFailure | undefined;
  /** For how many milliseconds it has not answered. */
  readonly silentMs: number;
  /** When the last question was given up to which there was no answer, by the clock's monotonic time. */
  readonly missedAt: number | undefined;
  /** Its machine has taken a new connection since it does not answer: it is not the way there that is cut. */
  readonly isReached: boolean;
  /** For how many milliseconds its replication offset has stood still, as far as anybody looked. */
  readonly stalledMs: number;
  /** Before it stood still it had moved all the time: by more than the pings of a primary. */
  readonly wasBusy: boolean;
  /** What it said of its forks when it last said anything: a server stands still for them, and is alive. */
  readonly forks: ForkFacts | undefined;
}

/** How often servers are looked at. */
export interface PulseTimes {
  /** Between two beats. */
  readonly beatMs: number;
  /** Between two of a primary: writes wait for what they find. */
  readonly primaryBeatMs: number;
  /** Between two of its beats that ask about its forks, too. */
  readonly forksMs: number;
  /** Between two while there is no answer. */
  readonly silentBeatMs: number;
  /** Until a server counts as silent. */
  readonly timeoutMs: number;
  /** Until its peers are asked what they hear of it. */
  readonly doubtMs: number;
  /** For an answer on a new connection, when there was none on the one that was kept. */
  readonly secondMs: number;
  /** A server that has never answered is not asked again before. */
  readonly restMs: number;
}

/** As often as writes can wait for, and no more often than servers notice. */
export const defaultTimes: PulseTimes = {
  beatMs: 500,
  primaryBeatMs: 250,
  forksMs: 1000,
  silentBeatMs: 250,
  timeoutMs: 600,
  doubtMs: 200,
  secondMs: 300,
  restMs: 2000,
};
