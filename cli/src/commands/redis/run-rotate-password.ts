import { findCondition, ifFound } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance, rotateAnnotation } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { askInstance, type AskingFlags } from "./ask-instance.ts";
import { untilTrue } from "./until-true.ts";
import type { InstanceContext } from "./with-cluster.ts";

/** The flags of `kedge redis rotate-password`. */
export interface RedisRotatePasswordFlags extends AskingFlags {
  readonly system: boolean;
}

/** Asks for another password, and waits until all servers accept it and clients can read it. */
export async function runRedisRotatePassword(
  context: KedgeContext,
  flags: RedisRotatePasswordFlags,
  name: string,
): Promise<Error | undefined> {
  return await askInstance(context, { flags, name }, async (asking) => {
    const { client, clock, key, instance, terminal } = asking;
    // The passwords themselves are compared, and go nowhere.
    const [secret, field] = flags.system ? [`${name}.system`, "key"] : [`${name}-auth`, "password"];
    const before = await valueIn(asking, secret, field);
    await asking.annotate(rotateAnnotation, flags.system ? "system" : "client");
    let refusal: string | undefined;
    const isDone = await untilTrue({ clock, timeoutMs: flags.timeout * 1000, everyMs: 200 }, async () => {
      terminal.waitFor(`all servers of ${name} accept another password`);
      const { status } = await client.of(RedisInstance).get(key);
      const accepted = findCondition(status?.conditions, "SpecAccepted");
      if (accepted?.status === "False" && accepted.message.includes(rotateAnnotation))
        refusal = accepted.message;
      return refusal !== undefined || (await valueIn(asking, secret, field)) !== before;
    });
    terminal.clear();
    if (isDone && refusal === undefined) {
      const seconds = instance.spec.auth.oldPasswordSeconds;
      terminal.print(
        flags.system
          ? `The system's users of ${name} have other passwords. The old ones go by themselves.\n`
          : `The new password is in the Secret ${secret}. The old one is accepted for ${seconds} s more.\n`,
      );
      return undefined;
    }
    await asking.annotate(rotateAnnotation, null);
    return new Error(
      refusal ??
        `not all servers have accepted another password after ${flags.timeout} s. \`kedge redis status ${name}\` says more; what has begun goes on by itself.`,
    );
  });
}

async function valueIn(
  { client, key }: InstanceContext,
  secret: string,
  field: string,
): Promise<string | undefined> {
  const found = await ifFound(client.of(Secret).get({ namespace: key.namespace, name: secret }));
  return found?.data?.[field];
}
