import { parseJsonExactly } from "@kedge/machinery";
import { valueAt } from "../script/json-pointer.ts";
import type { EventsStep } from "../script/script.ts";

/** Some events, and what ended the taking if it was not that all were there. */
export interface Taken {
  readonly events: readonly unknown[];
  /** `closed` by the server, `broken` on the way, or they are `late`. */
  readonly end?: "closed" | "broken" | "late";
}

/** A watch that is read in the background. */
export class Watching {
  readonly name: string;
  readonly #ending: AbortController;
  readonly #unread: unknown[] = [];
  #end: "closed" | "broken" | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(name: string, body: AsyncIterable<Uint8Array>, ending: AbortController) {
    this.name = name;
    this.#ending = ending;
    void this.#read(body);
  }

  /** The next events, waiting for those that have not come yet. */
  async take(what: EventsStep["take"], signal: AbortSignal): Promise<Taken> {
    const late = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    for (;;) {
      const enough = this.#enough(what);
      if (enough !== undefined) return { events: this.#unread.splice(0, enough) };
      const end = this.#end ?? (signal.aborted ? "late" : undefined);
      if (end !== undefined) return { events: this.#unread.splice(0), end };
      await Promise.race([this.#changed.promise, late]);
    }
  }

  /** What has come and nobody has taken. Bookmarks may come at any time. */
  rest(): readonly unknown[] {
    return this.#unread.filter((event) => valueAt(event, "/type") !== "BOOKMARK");
  }

  close(): void {
    this.#ending.abort();
  }

  /** How many events to take, when they are all here. */
  #enough(what: EventsStep["take"]): number | undefined {
    if (typeof what === "number") return this.#unread.length >= what ? what : undefined;
    if (what === "end") return undefined;
    const found = this.#unread.findIndex((event) => valueAt(event, "/type") === what);
    return found === -1 ? undefined : found + 1;
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      let rest = "";
      const decoder = new TextDecoder();
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#unread.push(parseJsonExactly(line));
        this.#wake();
      }
      this.#end = rest === "" ? "closed" : "broken";
    } catch {
      this.#end = "broken";
    }
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
