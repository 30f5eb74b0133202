import { join } from "node:path";
import type { Client } from "@kedge/client";
import { saveSettings, type ClusterSettings } from "../../cluster/cluster-settings.ts";
import { operators } from "../../operators.ts";
import { installKinds } from "./install-kinds.ts";
import { createSample, hasSample } from "./sample.ts";
import type { StartOptions } from "./start-options.ts";
import type { Steps } from "./steps.ts";

export { waitForSample } from "./sample.ts";

/** What starting operators takes. */
export interface StartingOperators {
  readonly client: Client;
  readonly steps: Steps;
  /** When their process can be used. */
  readonly operator: Promise<void>;
  /** When the API server can be: it listens before that. */
  readonly server: Promise<void>;
}

/** Installs the operators' kinds, and creates the sample. True when there is one to wait for. */
export async function startOperators(
  { context, flags, folder, clock }: StartOptions,
  settings: ClusterSettings,
  { client, steps, operator, server }: StartingOperators,
): Promise<boolean> {
  const sample = async (): Promise<boolean> => {
    if (!flags.sample) return false;
    if (!settings.sampleCreated) {
      await createSample(client, join(context.root, "config/samples"));
      await saveSettings(folder, { ...settings, sampleCreated: true });
    }
    return await hasSample(client);
  };
  return await steps.run("operators", operators.map(({ name }) => name).join(", "), async () => {
    // They ask again soon for kinds that they come too early for.
    const [isThere] = await Promise.all([installKinds(client, clock).then(sample), operator, server]);
    return isThere;
  });
}
