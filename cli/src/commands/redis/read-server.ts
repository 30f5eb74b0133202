import type { Client } from "@kedge/client";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { clientCommand, serverFacts, type ServerFacts } from "@kedge/redis-operator";

/** What a server says of itself. */
export interface ReadServer {
  readonly facts: ServerFacts;
  /** How many commands are in its log of slow ones. */
  readonly slowCommands: number;
  /** When it writes snapshots by itself; empty: never. */
  readonly save: string;
}

const marks = { slow: "kedge:slowlog", save: "kedge:save" };
const asked = [
  "INFO all",
  `ECHO ${marks.slow}`,
  "SLOWLOG LEN",
  `ECHO ${marks.save}`,
  "CONFIG GET save",
  "",
].join("\n");

/** Asks the server in a pod, inside of the pod; or says why it does not answer. */
export async function readServer(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
): Promise<ReadServer | Error> {
  try {
    const { stdout, stderr } = await client.of(Pod).exec.run(key, {
      command: clientCommand(),
      container: "redis",
      stdin: asked,
      timeout: 5000,
    });
    return parseServer(stdout) ?? new Error(firstLine(stderr) || firstLine(stdout) || "no answer");
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Reads what the client printed; undefined when that is no whole answer. */
export function parseServer(text: string): ReadServer | undefined {
  const [info = "", rest] = text.split(`${marks.slow}\n`);
  const [slow = "", save] = rest?.split(`${marks.save}\n`) ?? [];
  if (save === undefined || !info.includes("run_id:")) return undefined;
  const [, times = ""] = save.split("\n");
  const slowCommands = Number(slow.trim());
  return {
    facts: serverFacts(info),
    slowCommands: Number.isSafeInteger(slowCommands) ? slowCommands : 0,
    save: times.trim(),
  };
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 200) ?? "";
}
