import type { Script } from "../script/script.ts";
import { startHookServer } from "./hook-server.ts";
import { play, type Play, type Stage } from "./play.ts";

/** So many scripts at a time: they mostly wait for the server. */
const atATime = 12;

/** Plays scripts, many at a time; first, one after the other, those that want to be alone. In the given order. */
export async function playAll(scripts: readonly Script[], stage: Stage): Promise<readonly Play[]> {
  if (stage.hooks !== undefined || scripts.every(({ webhooks }) => Object.keys(webhooks).length === 0))
    return await playEach(scripts, stage);
  const hooks = await startHookServer(stage);
  try {
    return await playEach(scripts, { ...stage, hooks });
  } finally {
    await hooks.close();
  }
}

async function playEach(scripts: readonly Script[], stage: Stage): Promise<readonly Play[]> {
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
