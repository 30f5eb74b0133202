import { RedisInstance, replicationOf, switchoverAnnotation } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { askInstance, type AskingFlags } from "./ask-instance.ts";
import { isGivenUp, switchoverTarget } from "./switchover-target.ts";
import { untilTrue } from "./until-true.ts";

/** The flags of `kedge redis switchover`. */
export interface RedisSwitchoverFlags extends AskingFlags {
  readonly to?: string;
}

/** Asks for another primary, and waits until it is. */
export async function runRedisSwitchover(
  context: KedgeContext,
  flags: RedisSwitchoverFlags,
  name: string,
): Promise<Error | undefined> {
  return await askInstance(context, { flags, name }, async (asking) => {
    const { client, clock, key, instance, terminal } = asking;
    const before = replicationOf(instance).primary;
    const target = switchoverTarget(instance, flags.to);
    if (target instanceof Error) return target;
    await asking.annotate(switchoverAnnotation, target);
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
      await asking.annotate(switchoverAnnotation, null);
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
