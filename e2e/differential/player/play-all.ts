import type { Script } from "../script/script.ts";
import { play, type Play, type Stage } from "./play.ts";

/** So many scripts at a time: they mostly wait for the server. */
const atATime = 12;

/** Plays scripts, many at a time; first, one after the other, those that want to be alone. In the given order. */
export async function playAll(scripts: readonly Script[], stage: Stage): Promise<readonly Play[]> {
  const plays = new Map<Script, Play>();
  const playOne = async (script: Script): Promise<void> => {
    plays.set(script, await play(script, stage));
  };
  for (const script of scripts) if (script.alone) await playOne(script);
  const waiting = scripts.filter(({ alone }) => !alone).values();
  const workers = Array.from({ length: atATime }, async () => {
    for (const script of waiting) await playOne(script);
  });
  await Promise.all(workers);
  return scripts.flatMap((script) => plays.get(script) ?? []);
}
