import type { Client } from "@kedge/client";
import { findCondition, type Clock } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { crdOf, type DefinedKind } from "@kedge/schema";
import { localPathClass } from "@kedge/node/local-path-class";

/** Brings what a cluster has before anything runs in it: the class of volumes, and the operators' kinds. */
export async function install(client: Client, clock: Clock, kinds: readonly DefinedKind[]): Promise<void> {
  await client.of(StorageClass).create(localPathClass);
  const definitions = client.of(CustomResourceDefinition);
  for (const kind of kinds) await definitions.create(crdOf(kind));
  for (const kind of kinds) {
    const name = `${kind.plural}.${kind.group}`;
    for (;;) {
      const { status } = await definitions.get({ name });
      if (findCondition(status?.conditions, "Established")?.status === "True") break;
      await clock.sleep(10);
    }
  }
}
