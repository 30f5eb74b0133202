import { realClock, type Random } from "@kedge/machinery";
import { isObject, type JsonObject } from "../comparison/json.ts";
import { bodyOf } from "../differential/player/body.ts";
import { exchange } from "../differential/player/exchange.ts";
import type { PlayedAnswer } from "../differential/player/play.ts";
import type { Server } from "../differential/player/server.ts";
import type { RequestStep } from "../differential/script/script.ts";
import { compare, type Difference } from "../differential/transcript/compare.ts";
import { toTranscript } from "../differential/transcript/to-transcript.ts";
import { Chooser } from "./chooser.ts";
import { fuzzNamespace, type FuzzKind } from "./fuzz-kind.ts";
import { isKnown } from "./known-differences.ts";
import { withoutUnstable, withStableWarnings } from "./unstable.ts";
import { create } from "./writes/create.ts";
import { nextWrite } from "./writes/next-write.ts";
import { endings, remove } from "./writes/remove.ts";
import type { Known, Write } from "./writes/write.ts";

/** The two servers that must not differ. */
export interface Pair {
  readonly real: Server;
  readonly ours: Server;
}

/** What one object's life has shown. */
export interface Lived {
  /** How many answers were compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
  /** The last request, for who looks for the reason. */
  readonly sent: readonly string[];
}

/** The life of one object on both servers: created, changed a few times, deleted. It ends early where they differ. */
export async function live(
  pair: Pair,
  kind: FuzzKind,
  { random, name }: { random: Random; name: string },
): Promise<Lived> {
  const choose = new Chooser(random, random.int(100) < 55 ? 0 : 12);
  const life = new Life(pair, kind, name);
  for (let tries = 0; tries < 4 && life.latest === undefined && !life.isOver; tries++) {
    await life.send(create({ choose, kind, name }));
  }
  if (life.latest !== undefined && !life.isOver) await life.send(settling);
  const writes = 3 + random.int(4);
  for (let count = 0; count < writes && life.latest !== undefined && !life.isOver; count++) {
    await life.send(nextWrite({ choose, kind, name, latest: life.latest }));
  }
  if (life.latest !== undefined) {
    for (const write of [remove({ choose }), ...endings]) if (!life.isOver) await life.send(write);
  }
  await life.end();
  return life.result();
}

/**
 * The real server stores the first write to some new objects (claims) even if it changes nothing, as what it reads is
 * not quite what it wrote: so the first write changes something.
 */
const settling: Write = {
  method: "PATCH",
  type: "application/merge-patch+json",
  body: () => ({ metadata: { annotations: { settled: "yes" } } }),
};

class Life {
  readonly #pair: Pair;
  readonly #kind: FuzzKind;
  readonly #name: string;
  readonly #played: Record<"real" | "ours", PlayedAnswer[]> = { real: [], ours: [] };
  readonly #known: Record<"real" | "ours", Known | undefined> = { real: undefined, ours: undefined };
  readonly #said: unknown[] = [];
  /** They have differed already. */
  isOver = false;

  constructor(pair: Pair, kind: FuzzKind, name: string) {
    this.#pair = pair;
    this.#kind = kind;
    this.#name = name;
  }

  /** The object as the real server has it. Undefined: it is not there yet. */
  get latest(): JsonObject | undefined {
    return this.#known.real?.latest;
  }

  async send(write: Write): Promise<void> {
    this.#said.push(write.said ?? null, write.query ?? null);
    const [real, ours] = await Promise.all([this.#sendTo("real", write), this.#sendTo("ours", write)]);
    this.isOver = real?.status !== ours?.status;
    // The real server drops the connection where its code panics: there is no answer to compare with.
    if (real === undefined) this.#played.ours.pop();
  }

  /** Takes away what is left where they differed, so that it is in nobody's way. */
  async end(): Promise<void> {
    if (!this.isOver) return;
    for (const which of ["real", "ours"] as const) {
      const played = this.#played[which].length;
      for (const write of endings) await this.#sendTo(which, write);
      this.#played[which].splice(played);
    }
  }

  result(): Lived {
    const text = JSON.stringify(this.#said);
    const title = `${this.#kind.kind} ${this.#name}`;
    const script = {
      name: title,
      title,
      alone: false,
      variables: {},
      webhooks: {},
      steps: [],
      cleanup: [],
      text,
    };
    const own = { ns: fuzzNamespace, id: this.#name };
    const [real, ours] = (["real", "ours"] as const).map((which) =>
      toTranscript({ script, own, steps: this.#played[which] }),
    );
    if (real === undefined || ours === undefined) throw new Error("both have played");
    const { compared, differences } = compare(real, ours);
    return {
      compared,
      differences: differences.filter((difference) => !isKnown(this.#kind, difference)),
      sent: this.#played.real.map(({ step }) => JSON.stringify(step.body)),
    };
  }

  async #sendTo(which: "real" | "ours", write: Write): Promise<PlayedAnswer | undefined> {
    const known = this.#known[which];
    const step = stepOf(this.#kind, this.#name, { write, known: known ?? { latest: {}, first: {} } });
    using deadline = realClock.deadline(120_000);
    const answer = await exchange(step, {
      server: this.#pair[which],
      variables: {},
      signal: deadline.signal,
    }).catch((error: unknown) => {
      if (which === "real" && String(error).includes("NGHTTP2_INTERNAL_ERROR")) return undefined;
      throw error;
    });
    if (answer === undefined) return undefined;
    const { status, headers } = answer;
    const body = await bodyOf(answer);
    const played = {
      step: shapeOf(step, status, body.value),
      status,
      headers: withStableWarnings(headers),
      body: { ...body, ...(body.value !== undefined && { value: withoutUnstable(body.value) }) },
    };
    this.#played[which].push(played);
    const isObjectItself = isObject(body.value) && body.value["kind"] === this.#kind.kind && status < 300;
    if (isObjectItself && isObject(body.value) && write.query?.["dryRun"] === undefined)
      this.#known[which] = { latest: body.value, first: known?.first ?? body.value };
    return played;
  }
}

function stepOf(kind: FuzzKind, name: string, { write, known }: { write: Write; known: Known }): RequestStep {
  const { method, subresource, query = {}, type, accept, body } = write;
  const object = method === "POST" ? kind.path : `${kind.path}/${name}`;
  return {
    kind: "request",
    method,
    path: subresource === undefined ? object : `${object}/${subresource}`,
    query,
    headers: { ...(type !== undefined && { "content-type": type }), ...(accept !== undefined && { accept }) },
    ...(body !== undefined && { body: { json: body(known) } }),
    save: {},
  };
}

/** The faults of a custom object are found in the order of a Go map. */
function shapeOf(step: RequestStep, status: number, value: unknown): RequestStep {
  if (status !== 422 || !step.path.includes("/gadgets") || !isObject(value)) return step;
  return { ...step, ignore: ["/message"], unordered: ["/details/causes"] };
}
