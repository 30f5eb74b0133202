import { RedisInstance, replicationOf, switchoverAnnotation } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { isGivenUp, switchoverTarget } from "./switchover-target.ts";
import { untilTrue } from "./until-true.ts";
import { getInstance, withInstance, type InstanceFlags } from "./with-cluster.ts";

/** The flags of `kedge redis switchover`. */
export interface RedisSwitchoverFlags extends InstanceFlags {
  readonly to?: string;
  readonly timeout: number;
}

/** Asks for another primary, and waits until it is. */
export async function runRedisSwitchover(
  context: KedgeContext,
  flags: RedisSwitchoverFlags,
  name: string,
): Promise<Error | undefined> {
  return await withInstance(context, { flags, name }, async (about) => {
    const { client, clock, key } = about;
    const instance = await getInstance(about);
    if (instance instanceof Error) return instance;
    const before = replicationOf(instance).primary;
    const target = switchoverTarget(instance, flags.to);
    if (target instanceof Error) return target;
    const annotations = { [switchoverAnnotation]: target };
    await client.of(RedisInstance).patch(key, { merge: { metadata: { annotations } } });
    const terminal = terminalOn(context.process, clock);
    const began = clock.monotonic();
    let newest = instance;
    const isDone = await untilTrue({ clock, timeoutMs: flags.timeout * 1000, everyMs: 100 }, async () => {
      terminal.waitFor(`${target === "any" ? "a replica" : target} becomes the primary of ${name}`);
      newest = await client.of(RedisInstance).get(key);
      const { primary, target: next } = replicationOf(newest);
      const isThere = next === undefined && (target === "any" ? primary !== before : primary === target);
      return isThere || isGivenUp(newest, instance);
    });
    terminal.clear();
    if (isDone && isGivenUp(newest, instance))
      return new Error(`the primary is still ${before}. ${newest.status?.replication?.cause ?? ""}`.trim());
    if (!isDone) {
      await client
        .of(RedisInstance)
        .patch(key, { merge: { metadata: { annotations: { [switchoverAnnotation]: null } } } });
      return new Error(
        `the primary is still ${before} after ${flags.timeout} s, and it is not asked for any more. \`kedge redis status ${name}\` says more.`,
      );
    }
    const took = Math.round(clock.monotonic() - began);
    terminal.print(
      `${replicationOf(newest).primary} is the primary now; it was ${before}. It took ${took} ms.\n`,
    );
    return undefined;
  });
}
