import { seededRandom, VirtualClock } from "@kedge/machinery";
import { play, type Play } from "../player/play.ts";
import { parseScript } from "../script/parse-script.ts";
import { fakeServer, type FakeServer, type FakeServerOptions } from "./fake-server.ts";

/** A fake server on a clock of its own, to play on. */
export interface Theatre {
  readonly clock: VirtualClock;
  readonly server: FakeServer;
  /** Plays a script, given without its title. */
  readonly play: (script: string) => Promise<Play>;
}

/** Builds one. */
export function theatre(options: Partial<FakeServerOptions> = {}): Theatre {
  const seed = options.seed ?? 1;
  const clock = new VirtualClock({ epoch: Date.UTC(2026, seed) });
  const server = fakeServer({ clock, ...options });
  return {
    clock,
    server,
    play: (text) => {
      const script = parseScript("test/script", `title: A script of a test\n${text}`);
      return clock.runUntil(play(script, { server, clock, random: seededRandom(`theatre ${seed}`) }));
    },
  };
}
