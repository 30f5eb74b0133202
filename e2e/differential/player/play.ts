import { messageOf, type ApiHeaders, type ApiResponse, type Clock, type Random } from "@kedge/machinery";
import { valueAt } from "../script/json-pointer.ts";
import type { EventsStep, RequestStep, Script, Step, Variables, WatchStep } from "../script/script.ts";
import { fill } from "../script/variables.ts";
import { isMet } from "./condition.ts";
import { bodyOf, streamsJson, type Body } from "./body.ts";
import { prepareNamespace } from "./prepare-namespace.ts";
import { exchange } from "./exchange.ts";
import type { HookServer } from "./hook-server.ts";
import type { Server } from "./server.ts";
import { Watching } from "./watching.ts";

/** What a script has seen, as it was: nothing is masked yet. */
export interface Play {
  readonly script: Script;
  /** The names that were this run's own. */
  readonly own: { readonly ns: string; readonly id: string };
  readonly steps: readonly PlayedStep[];
  /** Why it did not come to its end. */
  readonly stopped?: string;
}

/** What one step has seen. */
export type PlayedStep = PlayedAnswer | PlayedEvents;

/** An answer to a request. */
export interface PlayedAnswer extends Pick<ApiResponse, "status" | "headers"> {
  readonly step: RequestStep | WatchStep;
  readonly body: Body;
}

/** Some events of a watch, and whether the watch ended with them. */
export interface PlayedEvents {
  readonly step: EventsStep;
  readonly events: readonly unknown[];
  readonly end?: string;
}

/** What a play needs. */
export interface Stage {
  readonly server: Server;
  readonly clock: Clock;
  readonly random: Random;
  /** Serves the webhooks of scripts; needed for those that have some. */
  readonly hooks?: HookServer;
  /** How long a step may wait for an answer, a condition or an event. Two minutes unless given. */
  readonly patience?: number;
}

const defaultPatience = 120_000;
/** Between two questions of an `until`. */
const pause = 20;

/** Runs a script in a namespace of its own. It always gives a result: what stops the script is a part of it. */
export async function play(script: Script, stage: Stage): Promise<Play> {
  const id = `i${stage.random.uuid().replaceAll("-", "").slice(0, 9)}`;
  const ns = `ns-${id}`;
  const { hooks } = stage;
  const player = new Player(stage, {
    ...script.variables,
    ...(hooks !== undefined && {
      webhook: `${hooks.url}/${id}`,
      webhookCa: hooks.authority,
      otherCa: hooks.otherAuthority,
    }),
    ns,
    id,
  });
  hooks?.add(id, fill(script.webhooks, { ns, id }));
  const stopped = await player.run(script);
  return { script, own: { ns, id }, steps: player.played, ...(stopped !== undefined && { stopped }) };
}

/** A script stops at a step that cannot be done. */
class Stopped extends Error {}

class Player {
  readonly played: PlayedStep[] = [];
  readonly #stage: Stage;
  readonly #patience: number;
  readonly #watches = new Map<string, Watching>();
  #variables: Variables;

  constructor(stage: Stage, variables: Variables) {
    this.#stage = stage;
    this.#patience = stage.patience ?? defaultPatience;
    this.#variables = variables;
  }

  async run(script: Script): Promise<string | undefined> {
    try {
      await prepareNamespace(this.#stage, this.#variables["ns"] ?? "");
      for (const [index, step] of script.steps.entries()) await this.#runNamed(step, index + 1);
      for (const watching of this.#watches.values()) failIfMore(watching);
      return undefined;
    } catch (error) {
      return messageOf(error);
    } finally {
      for (const watching of this.#watches.values()) watching.close();
      for (const step of script.cleanup) await this.#ask(step).catch(() => undefined);
    }
  }

  async #runNamed(step: Step, number: number): Promise<void> {
    try {
      await this.#runStep(step);
    } catch (error) {
      throw new Stopped(`step ${number}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  #runStep(step: Step): Promise<void> {
    switch (step.kind) {
      case "request":
        return this.#request(step);
      case "watch":
        return this.#watch(step);
      case "events":
        return this.#events(step);
    }
  }

  async #request(step: RequestStep): Promise<void> {
    const started = this.#stage.clock.monotonic();
    const until = fill(step.until, this.#variables);
    for (;;) {
      const played = await this.#ask(step);
      const met = until === undefined || isMet(played, until);
      const late = this.#stage.clock.monotonic() - started > this.#patience;
      if (!met && !late) {
        await this.#stage.clock.sleep(pause);
        continue;
      }
      this.played.push(played);
      if (!met) throw new Stopped(`not so after ${this.#patience / 1000} s: ${JSON.stringify(until)}`);
      this.#save(step, played.body.value, played.headers);
      return;
    }
  }

  async #ask(step: RequestStep | WatchStep): Promise<PlayedAnswer> {
    using deadline = this.#stage.clock.deadline(this.#patience);
    const answer = await this.#send(step, deadline.signal);
    return { step, status: answer.status, headers: answer.headers, body: await bodyOf(answer) };
  }

  async #watch(step: WatchStep): Promise<void> {
    const ending = new AbortController();
    using deadline = this.#stage.clock.deadline(this.#patience);
    deadline.signal.addEventListener("abort", () => ending.abort(deadline.signal.reason));
    const answer = await this.#send(step, ending.signal);
    const { status, headers } = answer;
    const body = status === 200 ? {} : await bodyOf(answer);
    this.played.push({ step, status, headers, body });
    this.#save(step, body.value, headers);
    if (streamsJson(answer)) this.#watches.set(step.watch, new Watching(step.watch, answer.body, ending));
    else ending.abort();
  }

  async #events(step: EventsStep): Promise<void> {
    const watching = this.#watches.get(step.events);
    if (watching === undefined) throw new Stopped(`there is no watch ${step.events}`);
    using deadline = this.#stage.clock.deadline(this.#patience);
    const { events, end } = await watching.take(step.take, deadline.signal);
    this.played.push({ step, events, ...(end !== undefined && { end }) });
    if (end === "late") throw new Stopped(`the events did not come within ${this.#patience / 1000} s`);
    this.#save(step, events, {});
  }

  #send(step: RequestStep | WatchStep, signal: AbortSignal): Promise<ApiResponse> {
    const { hooks } = this.#stage;
    // What a webhook was asked is a step, too.
    if (step.method === "REVIEW" && hooks !== undefined)
      return Promise.resolve(hooks.lastReview(this.#variables["id"] ?? "", step.path.slice(1)));
    return exchange(step, { server: this.#stage.server, variables: this.#variables, signal });
  }

  #save({ save }: Step, body: unknown, headers: ApiHeaders): void {
    for (const [name, from] of Object.entries(save)) {
      const value = from.startsWith("header:") ? headers[from.slice("header:".length)] : valueAt(body, from);
      if (value === undefined) throw new Stopped(`there is nothing at ${from} to save as ${name}`);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      this.#variables = { ...this.#variables, [name]: text };
    }
  }
}

/** Events that the script has not asked for are an answer too: nothing may come that nobody looks at. */
function failIfMore(watching: Watching): void {
  const types = watching.rest().map((event) => valueAt(event, "/type"));
  if (types.length > 0)
    throw new Stopped(`the watch ${watching.name} gave more than was asked for: ${types.join(", ")}`);
}
