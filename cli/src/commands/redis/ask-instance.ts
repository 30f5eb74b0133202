import { RedisInstance } from "@kedge/redis-operator";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { getInstance, withInstance, type InstanceContext, type InstanceFlags } from "./with-cluster.ts";

/** The flags of commands that ask the operator for something, and wait for it. */
export interface AskingFlags extends InstanceFlags {
  /** In seconds. */
  readonly timeout: number;
}

/** What such a command works with. */
export interface Asking extends InstanceContext {
  /** As it was before anything was asked. */
  readonly instance: RedisInstance;
  readonly terminal: ReturnType<typeof terminalOn>;
  /** The operator is asked by annotations of the instance; null takes a wish back. */
  annotate(annotation: string, value: string | null): Promise<void>;
}

/** Asks the operator for something about an instance that is there. What goes wrong in words of our own is returned. */
export async function askInstance(
  context: KedgeContext,
  options: { readonly flags: AskingFlags; readonly name: string },
  work: (asking: Asking) => Promise<Error | undefined>,
): Promise<Error | undefined> {
  return await withInstance(context, options, async (about) => {
    const { client, clock, key } = about;
    const instance = await getInstance(about);
    if (instance instanceof Error) return instance;
    const terminal = terminalOn(context.process, clock);
    const annotate = async (annotation: string, value: string | null): Promise<void> => {
      const merge = { metadata: { annotations: { [annotation]: value } } };
      await client.of(RedisInstance).patch(key, { merge });
    };
    return await work({ ...about, instance, terminal, annotate });
  });
}
