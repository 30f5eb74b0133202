import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { tooManyRequests, type Clock } from "@kedge/machinery";
import { DecodeError } from "./decode-error.ts";
import { readYaml, YamlError, type WhichDocument, type YamlText } from "./read-yaml.ts";
import type { YamlOutcome, YamlTask } from "./yaml-thread.ts";

/** So many characters are read at once. Our parser reads about a megabyte a second, and some texts much slower. */
const mostAtOnce = 8 * 1024;

/** Milliseconds that a text may take in its thread. */
const patience = 30_000;

/** So many texts may wait for the thread, or be in it. Each is a body in memory. */
const mostWaiting = 20;

/** JSON of a text has at most so many characters: aliases repeat what they stand for. */
const mostJson = 3 * 1024 * 1024;

/**
 * Reads YAML without holding up anybody else: small texts at once, large ones in a thread, one after the other. Clients
 * send JSON, which is also YAML: that does not come here.
 */
export class YamlReader {
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();
  readonly #mostWaiting: number;
  #waiting = 0;

  constructor(clock: Clock, mostInQueue = mostWaiting) {
    this.#clock = clock;
    this.#mostWaiting = mostInQueue;
  }

  /** Throws a `DecodeError`, or a 429 when too many are waiting. */
  async read(text: string, which: WhichDocument): Promise<YamlText> {
    const read = text.length <= mostAtOnce ? readHere(text, which) : await this.#inThread({ text, which });
    if (read.json.length > mostJson) throw new DecodeError("yaml: document contains excessive aliasing");
    return read;
  }

  async #inThread(task: YamlTask): Promise<YamlText> {
    if (this.#waiting >= this.#mostWaiting) throw tooManyRequests(busy, 1);
    this.#waiting++;
    const turn = this.#last.then(() => readInThread(task, this.#clock));
    this.#last = turn.catch(() => undefined);
    const outcome = await this.#clock.track(turn).finally(() => this.#waiting--);
    if ("why" in outcome) throw new DecodeError(outcome.why);
    return outcome;
  }
}

const busy = "too many large bodies of YAML are being read; try again later, or send JSON";

function readHere(text: string, which: WhichDocument): YamlText {
  try {
    return readYaml(text, which);
  } catch (error) {
    if (error instanceof YamlError) throw new DecodeError(error.message, { cause: error });
    if (error instanceof RangeError) throw new DecodeError("yaml: exceeded max depth", { cause: error });
    throw error;
  }
}

/** Never rejects: a thread that dies (of memory) or takes too long is an outcome, too. */
async function readInThread(task: YamlTask, clock: Clock): Promise<YamlOutcome> {
  const file = new URL(`./yaml-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
  const { promise, resolve } = Promise.withResolvers<YamlOutcome>();
  const giveUp = clock.timer(patience, () =>
    resolve({ why: `yaml: took longer than ${patience / 1000} seconds to read; send JSON instead` }),
  );
  worker.once("message", (outcome: YamlOutcome) => resolve(outcome));
  worker.once("error", (error) => resolve({ why: `yaml: cannot be read: ${String(error)}` }));
  worker.once("exit", () => resolve({ why: "yaml: cannot be read" }));
  try {
    return await promise;
  } finally {
    giveUp.cancel();
    await worker.terminate();
  }
}
