import { Pod } from "@kedge/machinery/kinds/core/v1";
import { clientCommand, replicationOf } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { joinConsole } from "./interactive.ts";
import { whyNotRun } from "./why-not-run.ts";
import { getInstance, withInstance, type InstanceContext, type InstanceFlags } from "./with-cluster.ts";

/** The flags of `kedge redis cli`. */
export interface RedisCliFlags extends InstanceFlags {
  /** An ordinal, or a pod's name. Absent: the primary. */
  readonly pod?: string;
}

/** Of the pod, the one that has the server. */
const container = "redis";

/**
 * Runs redis-cli, or what a Valkey image has instead, in a pod with its password, and ends as it ended. Without a command
 * it reads from the terminal, or from what is piped into it.
 */
export async function runRedisCli(
  context: KedgeContext,
  flags: RedisCliFlags,
  words: readonly string[],
): Promise<Error | undefined> {
  const [name = "", ...args] = words;
  return await withInstance(context, { flags, name }, async (about) => {
    const { client } = about;
    const pod = await podOf(about, flags.pod);
    if (pod instanceof Error) return pod;
    const key = { namespace: flags.namespace, name: pod };
    try {
      if (args.length === 0) {
        context.process.exitCode = await converse(context, about, key);
        return undefined;
      }
      const result = await client.of(Pod).exec.run(key, { command: clientCommand(...args), container });
      context.process.stdout.write(result.stdout);
      context.process.stderr.write(result.stderr);
      context.process.exitCode = result.code;
      return undefined;
    } catch (error) {
      const why = await whyNotRun(client.of(Pod), key, container);
      if (why === undefined) throw error;
      return new Error(why);
    }
  });
}

async function podOf(about: InstanceContext, wanted: string | undefined): Promise<string | Error> {
  const { name } = about.key;
  if (wanted !== undefined) return /^\d+$/u.test(wanted) ? `${name}-${wanted}` : wanted;
  const instance = await getInstance(about);
  return instance instanceof Error ? instance : replicationOf(instance).primary;
}

/** A terminal only where the user has one at both ends: what is piped is data. */
async function converse(
  { process: { stdin, stdout, stderr } }: KedgeContext,
  { client }: InstanceContext,
  key: { readonly namespace: string; readonly name: string },
): Promise<number> {
  if (stdin === undefined) throw new TypeError("there is nothing to read commands from");
  const isTerminal = stdin.isTTY === true && stdout.isTTY;
  const session = await client.of(Pod).exec.open(key, {
    command: clientCommand(),
    container,
    stdin: true,
    tty: isTerminal,
  });
  return await joinConsole(session, { stdin, stdout, stderr }, isTerminal);
}
