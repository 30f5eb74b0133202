import { findCondition, ifFound } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance, rotateAnnotation } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { untilTrue } from "./until-true.ts";
import { getInstance, withInstance, type InstanceContext, type InstanceFlags } from "./with-cluster.ts";

/** The flags of `kedge redis rotate-password`. */
export interface RedisRotatePasswordFlags extends InstanceFlags {
  readonly system: boolean;
  readonly timeout: number;
}

/** Asks for another password, and waits until all servers accept it and clients can read it. */
export async function runRedisRotatePassword(
  context: KedgeContext,
  flags: RedisRotatePasswordFlags,
  name: string,
): Promise<Error | undefined> {
  return await withInstance(context, { flags, name }, async (about) => {
    const { client, clock, key } = about;
    const instance = await getInstance(about);
    if (instance instanceof Error) return instance;
    // The passwords themselves are compared, and go nowhere.
    const [secret, field] = flags.system ? [`${name}.system`, "key"] : [`${name}-auth`, "password"];
    const before = await valueIn(about, secret, field);
    const annotations = { [rotateAnnotation]: flags.system ? "system" : "client" };
    await client.of(RedisInstance).patch(key, { merge: { metadata: { annotations } } });
    const terminal = terminalOn(context.process, clock);
    let refusal: string | undefined;
    const isDone = await untilTrue({ clock, timeoutMs: flags.timeout * 1000, everyMs: 200 }, async () => {
      terminal.waitFor(`all servers of ${name} accept another password`);
      const { status } = await client.of(RedisInstance).get(key);
      const accepted = findCondition(status?.conditions, "SpecAccepted");
      if (accepted?.status === "False" && accepted.message.includes(rotateAnnotation))
        refusal = accepted.message;
      return refusal !== undefined || (await valueIn(about, secret, field)) !== before;
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
    await client
      .of(RedisInstance)
      .patch(key, { merge: { metadata: { annotations: { [rotateAnnotation]: null } } } });
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
