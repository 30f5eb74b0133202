import { connect, loadConfig, type Client } from "@kedge/client";
import { isNotFound, realClock, type Clock } from "@kedge/machinery";
import { RedisInstance } from "@kedge/redis-operator";
import { meantCluster, type AnyClusterFlags } from "../../cluster/meant-cluster.ts";
import type { KedgeContext } from "../../context.ts";

/** The flags of all commands about one RedisInstance. */
export interface InstanceFlags extends AnyClusterFlags {
  readonly namespace: string;
}

/** What a command about an instance works with. */
export interface InstanceContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly key: { readonly namespace: string; readonly name: string };
}

/** Does something about an instance of the cluster that is meant. What goes wrong in words of our own is returned. */
export async function withInstance(
  context: KedgeContext,
  { flags, name }: { readonly flags: InstanceFlags; readonly name: string },
  work: (instance: InstanceContext) => Promise<Error | undefined>,
): Promise<Error | undefined> {
  const clock = realClock;
  const meant = await meantCluster(flags);
  if (meant instanceof Error) return meant;
  const config = await loadConfig({ env: context.process.env, clock, kubeconfig: meant.kubeconfig });
  const client = connect(config, { clock });
  try {
    return await work({ client, clock, key: { namespace: flags.namespace, name } });
  } finally {
    await client.close();
  }
}

/** Reads the instance, or says that there is none. */
export async function getInstance({ client, key }: InstanceContext): Promise<RedisInstance | Error> {
  try {
    return await client.of(RedisInstance).get(key);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return new Error(
      `there is no RedisInstance ${key.namespace}/${key.name}. \`kubectl get redisinstances -A\` shows what there is.`,
    );
  }
}
