import type { Answer, Protocol } from "./answer.ts";
import type { SentinelMaster, Switch } from "./masters.ts";
import { answerSentinel, announcedVersion, sentinelInfo } from "./sentinel-commands.ts";

/** What one client is told: the answers to its commands, and what it has subscribed to. Knows no socket. */
export class SentinelSession {
  readonly #masters: () => readonly SentinelMaster[];
  readonly #id: number;
  readonly #channels = new Set<string>();
  readonly #patterns = new Set<string>();
  #protocol: Protocol = 2;
  #isOver = false;

  constructor(masters: () => readonly SentinelMaster[], id: number) {
    this.#masters = masters;
    this.#id = id;
  }

  /** In which version of the protocol answers are written, from the next one on. */
  get protocol(): Protocol {
    return this.#protocol;
  }

  /** The client has said that it goes. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The answers to a command, in order; none but subscribing has more than one. */
  answer(command: readonly string[]): readonly Answer[] {
    const [word = "", ...args] = command;
    const name = word.toLowerCase();
    const isSubscriber = this.#channels.size + this.#patterns.size > 0;
    if (isSubscriber && this.#protocol === 2) {
      if (name === "ping") return [["pong", args[0] ?? ""]];
      if (!allowedToSubscribers.has(name)) {
        return [
          {
            error: `ERR Can't execute '${printable(name)}': only (P)SUBSCRIBE / (P)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
          },
        ];
      }
    }
    const handle = this.#commands[name];
    return handle === undefined
      ? [{ error: `ERR unknown command '${printable(word)}', with args beginning with: ` }]
      : handle(args);
  }

  /** What the client is to be told of a new primary. */
  tell({ name, from, to }: Switch): readonly Answer[] {
    const text = `${name} ${from.host} ${from.port} ${to.host} ${to.port}`;
    return [
      ...(this.#channels.has(switchChannel) ? [{ push: ["message", switchChannel, text] }] : []),
      ...[...this.#patterns]
        .filter((pattern) => matches(pattern, switchChannel))
        .map((pattern) => ({ push: ["pmessage", pattern, switchChannel, text] })),
    ];
  }

  readonly #commands: Readonly<Record<string, (args: readonly string[]) => readonly Answer[]>> = {
    ping: ([text]) => [text ?? { simple: "PONG" }],
    // Nothing is secret here, and no password is asked for: any will do, as for a user without one.
    auth: () => [ok],
    hello: (args) => this.#hello(args),
    client: ([subcommand = ""]) => [subcommand.toLowerCase() === "id" ? this.#id : ok],
    command: () => [[]],
    role: () => [["sentinel", this.#masters().flatMap(({ names }) => names.slice(0, 1))]],
    info: () => [sentinelInfo(this.#masters())],
    sentinel: (args) => [answerSentinel(this.#masters(), args)],
    subscribe: (args) => this.#subscribe("subscribe", this.#channels, args),
    psubscribe: (args) => this.#subscribe("psubscribe", this.#patterns, args),
    unsubscribe: (args) => this.#unsubscribe("unsubscribe", this.#channels, args),
    punsubscribe: (args) => this.#unsubscribe("punsubscribe", this.#patterns, args),
    reset: () => {
      this.#channels.clear();
      this.#patterns.clear();
      this.#protocol = 2;
      return [{ simple: "RESET" }];
    },
    quit: () => {
      this.#isOver = true;
      return [ok];
    },
  };

  #hello([version]: readonly string[]): readonly Answer[] {
    if (version !== undefined && version !== "2" && version !== "3") {
      return [{ error: "NOPROTO unsupported protocol version" }];
    }
    if (version !== undefined) this.#protocol = version === "3" ? 3 : 2;
    const map: readonly (readonly [string, Answer])[] = [
      ["server", "redis"],
      ["version", announcedVersion],
      ["proto", this.#protocol],
      ["id", this.#id],
      ["mode", "sentinel"],
      ["modules", []],
    ];
    return [{ map }];
  }

  #subscribe(word: string, to: Set<string>, names: readonly string[]): readonly Answer[] {
    if (names.length === 0) return [{ error: `ERR wrong number of arguments for '${word}' command` }];
    if (to.size + names.length > mostSubscriptions) return [{ error: "ERR too many subscriptions" }];
    return names.map((name) => {
      to.add(name);
      return { push: [word, name, this.#channels.size + this.#patterns.size] };
    });
  }

  #unsubscribe(word: string, from: Set<string>, names: readonly string[]): readonly Answer[] {
    const gone: readonly (string | null)[] = names.length > 0 ? names : from.size > 0 ? [...from] : [null];
    return gone.map((name) => {
      if (name !== null) from.delete(name);
      return { push: [word, name, this.#channels.size + this.#patterns.size] };
    });
  }
}

/** Sentinels have some twenty channels. */
const mostSubscriptions = 64;

const switchChannel = "+switch-master";
const ok = { simple: "OK" } as const;

const allowedToSubscribers = new Set([
  "subscribe",
  "psubscribe",
  "unsubscribe",
  "punsubscribe",
  "quit",
  "reset",
]);

/** Strangers' words in an error: short, and nothing that would end its line. */
function printable(text: string): string {
  return text.slice(0, 64).replaceAll(/[^\x20-\x7E]/gu, "?");
}

/** A glob of Redis, of which `*` and `?` are known; others are taken by the letter. In steps of pattern times text. */
function matches(pattern: string, text: string): boolean {
  let states = new Set([0]);
  const closed = (from: ReadonlySet<number>): Set<number> => {
    const all = new Set(from);
    for (const state of all) if (pattern[state] === "*") all.add(state + 1);
    return all;
  };
  states = closed(states);
  for (const letter of text) {
    const next = new Set<number>();
    for (const state of states) {
      if (pattern[state] === "*") next.add(state);
      else if (pattern[state] === "?" || pattern[state] === letter) next.add(state + 1);
    }
    states = closed(next);
  }
  return states.has(pattern.length);
}
