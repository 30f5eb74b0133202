import type { Client } from "@kedge/client";
import type { Clock } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { crdOf } from "@kedge/schema";
import { operators } from "../../operators.ts";

/** Takes a moment; longer than the busiest machine needs. */
const patience = 180_000;

/** Applies the operators' kinds, and waits until they are served. */
export async function installKinds(client: Client, clock: Clock): Promise<void> {
  const definitions = operators.flatMap(({ kinds }) => kinds).map((kind) => crdOf(kind));
  using limit = clock.deadline(patience);
  const install = async (definition: (typeof definitions)[number]): Promise<void> => {
    const { name } = definition.metadata;
    await client.of(CustomResourceDefinition).apply(definition, { fieldManager: "kedge", force: true });
    try {
      await served(client, name, limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      throw new Error(`${name} was not served after ${patience / 1000} s. See logs/server.log.`, {
        cause: error,
      });
    }
  };
  await Promise.all(definitions.map(install));
}

async function served(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const selector = { fieldSelector: `metadata.name=${name}`, signal };
  for await (const event of client.of(CustomResourceDefinition).watch(selector)) {
    if (event.type === "BOOKMARK") continue;
    const established = event.object.status?.conditions?.some(
      ({ type, status }) => type === "Established" && status === "True",
    );
    if (established === true) return;
  }
  signal.throwIfAborted();
}
