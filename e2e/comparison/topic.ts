import type { JsonObject } from "./json.ts";
import type { Server } from "./server.ts";

/** Where a topic asks: a namespace of its own. */
export interface Stage {
  readonly server: Server;
  readonly namespace: string;
}

/** One line of a recording: what was asked and what the real server answered. */
export interface Comparison<Input, Reply> {
  readonly input: Input;
  readonly reply: Reply;
}

/** A question that is asked many times: of the real server once, and of our code in every test run. */
export interface Topic<Input, Reply, Fixtures> {
  readonly name: string;
  /** The same for the same seed. What is recorded has the empty one. */
  inputs(seed: string): readonly Input[];
  /** What is asked, in a line. */
  titleOf(input: Input): string;
  /** How many answers are compared for an input; one if not given. */
  comparisonsIn?(input: Input): number;
  /** Makes what the questions are about. What the replay must know of it is recorded. */
  prepare(stage: Stage): Promise<Fixtures>;
  /**
   * Asks the real server. What changes from run to run is left out of the reply. Undefined when the answer is about
   * something else than was asked; then nothing is recorded.
   */
  ask(stage: Stage, input: Input, fixtures: Fixtures): Promise<Reply | undefined>;
  /** What our code makes of it, in the form of a reply. */
  ours(comparison: Comparison<Input, Reply>, fixtures: Fixtures): unknown;
}

/** A topic whose types only itself knows. */
export type AnyTopic = Topic<unknown, unknown, unknown>;

/** Forgets the types of a topic, so that topics can be listed. Its recordings hold what it put there itself. */
export function topic<Input, Reply, Fixtures>(definition: Topic<Input, Reply, Fixtures>): AnyTopic {
  return definition;
}

/** A refusal of the real server's, cut down to what our code has to say as well. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** The refusal in a Status: its first cause where it has one. */
export function refusalOf(status: number, body: JsonObject): Refusal & { readonly field: string } {
  const { causes = [] } = (body["details"] ?? {}) as { causes?: { field?: string; message: string }[] };
  return { status, text: causes[0]?.message ?? String(body["message"]), field: causes[0]?.field ?? "" };
}
