import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { KedgeContext } from "../../context.ts";
import { readServer } from "./read-server.ts";
import { reportText } from "./report-text.ts";
import { reportOf } from "./report.ts";
import { getInstance, withInstance, type InstanceFlags } from "./with-cluster.ts";

/** The flags of `kedge redis status`. */
export interface RedisStatusFlags extends InstanceFlags {
  readonly output: "text" | "json";
}

/** Prints how an instance is: what the operator says, and what each server says of itself. */
export async function runRedisStatus(
  context: KedgeContext,
  flags: RedisStatusFlags,
  name: string,
): Promise<Error | undefined> {
  return await withInstance(context, { flags, name }, async (about) => {
    const instance = await getInstance(about);
    if (instance instanceof Error) return instance;
    const labelSelector = { app: "redis", "redis.github.com/instance": name };
    const { items } = await about.client.of(Pod).list({ namespace: flags.namespace, labelSelector }).all();
    const pods = items.toSorted((one, other) =>
      one.metadata.name.localeCompare(other.metadata.name, "en", { numeric: true }),
    );
    const asked = await Promise.all(
      pods.map(async (pod) => ({ pod, server: await readServer(about.client, pod.metadata) })),
    );
    const report = reportOf(instance, asked);
    context.process.stdout.write(
      flags.output === "json" ? `${JSON.stringify(report, null, 2)}\n` : reportText(report),
    );
    return undefined;
  });
}
