import { isNotFound } from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { repeat, until, type Churn } from "./churn.ts";
import { connectRedis } from "./redis-lines.ts";

/** Creates a RedisInstance, uses it, deletes it and waits until its claims are gone, too. Gives how many lived. */
export async function churnInstances(churn: Churn): Promise<number> {
  const { client } = churn;
  let lived = 0;
  await repeat(churn, async (index) => {
    const name = `soak-${index}`;
    await createInstance(churn, name, { deletionPolicy: "Delete" });
    await until(churn, `using RedisInstance ${name}`, async () => {
      using redis = await connectRedis(client, name);
      return (await redis.say("SET key value")) === "+OK" && (await redis.say("EXISTS key")) === ":1";
    });
    const key = { namespace: "default", name };
    await until(churn, `RedisInstance ${name} gone`, async () => {
      try {
        const { metadata } = await client.of(RedisInstance).get(key);
        if (metadata.deletionTimestamp === undefined) await client.of(RedisInstance).delete(key);
        return false;
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    });
    await until(churn, `claims of RedisInstance ${name} gone`, async () => {
      const { items } = await client.of(PersistentVolumeClaim).list({ namespace: "default" }).all();
      return !items.some(({ metadata }) => metadata.name.endsWith(`-${name}-0`));
    });
    lived++;
  });
  return lived;
}

/** Creates a RedisInstance with one server whose acknowledged writes are on the disk, and waits until it runs. */
export async function createInstance(
  churn: Pick<Churn, "client" | "clock">,
  name: string,
  { deletionPolicy }: { readonly deletionPolicy: "Delete" | "Retain" },
): Promise<void> {
  const instances = churn.client.of(RedisInstance);
  const key = { namespace: "default", name };
  const config = { appendonly: "yes", appendfsync: "always" };
  const spec = { image: "redis:7.0", replicas: 1, storage: { size: "100Mi" }, config, deletionPolicy };
  await until(churn, `creating RedisInstance ${name}`, async () => {
    await instances.apply({ metadata: key, spec }, { fieldManager: "soak" });
    return true;
  });
  await until(churn, `RedisInstance ${name} Running`, async () => {
    const { status } = await instances.get(key);
    return status?.status === "Running" && status.readyReplicas === "1/1";
  });
}
