import type { Clock } from "@kedge/machinery";

/** One thing that happened on the way. */
export interface Step {
  /** Which one, in few words: tests refer to it. */
  readonly name: string;
  /** The part of the cluster that did it. */
  readonly layer: string;
  readonly text: string;
  /** Milliseconds since the first step. */
  readonly at: number;
}

/** Notes what happens, each step when it happens for the first time. */
export class Journal {
  readonly #clock: Clock;
  readonly #steps = new Map<string, Step>();
  #start: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first step: nothing is noted before it. */
  begin(name: string, layer: string, text: string): void {
    this.#start ??= this.#clock.monotonic();
    this.note(name, layer, text);
  }

  note(name: string, layer: string, text: string): void {
    if (this.#start === undefined || this.#steps.has(name)) return;
    this.#steps.set(name, { name, layer, text, at: this.#clock.monotonic() - this.#start });
  }

  /** In the order of their times. */
  get steps(): readonly Step[] {
    return [...this.#steps.values()];
  }

  /** `+  12.3 ms  store  RedisInstance default/cache is durable, at revision 123` */
  toString(): string {
    const width = Math.max(...this.steps.map(({ layer }) => layer.length));
    const line = ({ at, layer, text }: Step): string =>
      `+ ${at.toFixed(1).padStart(6)} ms  ${layer.padEnd(width)}  ${text}`;
    return this.steps.map(line).join("\n");
  }
}
