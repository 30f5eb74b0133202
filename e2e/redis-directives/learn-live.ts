import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { say, type RealServer } from "./real-servers.ts";

/** What a running server says of its directives. */
export interface LiveFacts {
  /** What it is when nobody says anything. */
  readonly standard: string;
  /** Whether it can be changed while the server runs. */
  readonly isLive: boolean;
}

/** Starts a server that only this process can reach, and asks it for each of these directives. */
export async function learnLive(
  real: RealServer,
  names: readonly string[],
): Promise<ReadonlyMap<string, LiveFacts>> {
  const folder = await mkdtemp(join(tmpdir(), "kedge-directives-"));
  const socket = join(folder, "redis.sock");
  const [program = "", ...args] = real.server;
  const child = spawn(program, [...args, "--port", "0", "--unixsocket", socket, "--dir", folder], {
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const ask = (commands: readonly (readonly string[])[]): Promise<string> =>
    say([...real.client, "-s", socket, "--json"], `${commands.map(lineOf).join("\n")}\n`);
  try {
    while (!(await ask([["ping"]])).includes("PONG")) await realClock.sleep(50);
    const found = new Map<string, LiveFacts>();
    for (const name of names) {
      const [got = ""] = (await ask([["config", "get", name]])).split("\n");
      const standard = standardOf(got, name);
      if (standard === undefined) continue;
      const answer = await ask([["config", "set", name, standard]]);
      found.set(name, { standard, isLive: !/immutable|protected/u.test(answer) });
    }
    return found;
  } finally {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  }
}

/** A line that redis-cli reads as these words. */
function lineOf(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(" ");
}

function standardOf(answer: string, name: string): string | undefined {
  const parsed: unknown = JSON.parse(answer);
  const entry = Object.entries(parsed ?? {}).find(([key]) => key === name);
  return entry === undefined ? undefined : String(entry[1]);
}
