import { isConditionTrue } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { restartAnnotation } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { askInstance, type AskingFlags } from "./ask-instance.ts";
import { untilTrue } from "./until-true.ts";

/** Asks for new pods, one after the other, and waits until all are there. */
export async function runRedisRestart(
  context: KedgeContext,
  flags: AskingFlags,
  name: string,
): Promise<Error | undefined> {
  return await askInstance(context, { flags, name }, async (asking) => {
    const { client, clock, key, instance, terminal } = asking;
    if (instance.spec.suspend === true || instance.spec.hibernate === true)
      return new Error(
        `${name} has no pods to restart, or is left alone: spec.suspend or spec.hibernate is true.`,
      );
    const at = new Date(clock.now()).toISOString();
    await asking.annotate(restartAnnotation, at);
    const labelSelector = { app: "redis", "redis.github.com/instance": name };
    let left = instance.spec.replicas;
    const isDone = await untilTrue({ clock, timeoutMs: flags.timeout * 1000 }, async () => {
      const { items } = await client.of(Pod).list({ namespace: key.namespace, labelSelector }).all();
      const renewed = items.filter(
        ({ metadata, status }) =>
          metadata.annotations?.[restartAnnotation] === at && isConditionTrue(status?.conditions, "Ready"),
      );
      left = instance.spec.replicas - renewed.length;
      terminal.waitFor(`${renewed.length} of ${instance.spec.replicas} pods are new and ready`);
      return left <= 0;
    });
    terminal.clear();
    if (!isDone)
      return new Error(
        `${left} pods are not new and ready after ${flags.timeout} s. \`kedge redis status ${name}\` says more; it goes on by itself.`,
      );
    terminal.print(`All pods of ${name} are new.\n`);
    return undefined;
  });
}
