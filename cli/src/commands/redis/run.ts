import { connect, loadConfig } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { clientCommand } from "@kedge/redis-operator";
import { meantCluster, type AnyClusterFlags } from "../../cluster/meant-cluster.ts";
import type { KedgeContext } from "../../context.ts";
import { whyNotRun } from "./why-not-run.ts";

/** The flags of `kedge redis cli`. */
export interface RedisCliFlags extends AnyClusterFlags {
  readonly namespace: string;
  readonly pod: number;
}

/** Of the pod, the one that has the server. */
const container = "redis";

/** Runs redis-cli, or what a Valkey image has instead, in a pod with its password, and ends as it ended. */
export async function runRedisCli(
  context: KedgeContext,
  flags: RedisCliFlags,
  words: readonly string[],
): Promise<Error | void> {
  const [name = "", ...args] = words;
  if (args.length === 0)
    return new Error(`what is redis-cli to do in ${name}? For example: kedge redis cli ${name} ping`);
  const clock = realClock;
  const { env, stdout, stderr } = context.process;
  const meant = await meantCluster(flags);
  if (meant instanceof Error) return meant;
  const config = await loadConfig({ env, clock, kubeconfig: meant.kubeconfig });
  const client = connect(config, { clock });
  const key = { namespace: flags.namespace, name: `${name}-${flags.pod}` };
  try {
    const result = await client.of(Pod).exec.run(key, { command: clientCommand(...args), container });
    stdout.write(result.stdout);
    stderr.write(result.stderr);
    context.process.exitCode = result.code;
  } catch (error) {
    const why = await whyNotRun(client.of(Pod), key, container);
    if (why === undefined) throw error;
    return new Error(why);
  } finally {
    await client.close();
  }
}
