import { connect, loadConfig } from "@kedge/client";
import { isNotFound, realClock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { clusterFolder } from "../../cluster/cluster-folder.ts";
import { hasCluster } from "../../cluster/cluster-settings.ts";
import type { KedgeContext } from "../../context.ts";

/** The flags of `kedge redis cli`. */
export interface RedisCliFlags {
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly namespace: string;
  readonly pod: number;
}

/** Runs redis-cli in a pod, and ends as it ended. */
export async function runRedisCli(
  context: KedgeContext,
  flags: RedisCliFlags,
  words: readonly string[],
): Promise<Error | void> {
  const [name = "", ...args] = words;
  const clock = realClock;
  const { env, stdout, stderr } = context.process;
  const config = await loadConfig({
    env,
    clock,
    kubeconfig: flags.kubeconfig ?? (await embedded(flags.dir)),
  });
  const client = connect(config, { clock });
  const key = { namespace: flags.namespace, name: `${name}-${flags.pod}` };
  try {
    const result = await client
      .of(Pod)
      .exec.run(key, { command: ["redis-cli", ...args], container: "redis" });
    stdout.write(result.stdout);
    stderr.write(result.stderr);
    context.process.exitCode = result.code;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return new Error(
      `there is no pod ${key.namespace}/${key.name}. \`kubectl get redisinstances -A\` shows what there is.`,
    );
  } finally {
    await client.close();
  }
}

async function embedded(dir: string | undefined): Promise<string | undefined> {
  const folder = clusterFolder(dir);
  return dir !== undefined || (await hasCluster(folder)) ? folder.kubeconfig : undefined;
}
