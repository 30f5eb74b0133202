import { join } from "node:path";
import type { Client } from "@kedge/client";
import { saveSettings, type ClusterSettings } from "../../cluster/cluster-settings.ts";
import { operators } from "../../operators.ts";
import { installKinds } from "./install-kinds.ts";
import { createSample, hasSample } from "./sample.ts";
import type { StartOptions } from "./start-options.ts";
import type { Steps } from "./steps.ts";

export { waitForSample } from "./sample.ts";

/** Starts the operators with their kinds, and creates the sample. True when there is one to wait for. */
export async function startOperators(
  { context, flags, folder, clock, supervisor }: StartOptions,
  settings: ClusterSettings,
  { client, steps }: { readonly client: Client; readonly steps: Steps },
): Promise<boolean> {
  if (!flags.operators) return false;
  const sample = async (): Promise<boolean> => {
    if (!flags.sample) return false;
    if (!settings.sampleCreated) {
      await createSample(client, join(context.root, "config/samples"));
      await saveSettings(folder, { ...settings, sampleCreated: true });
    }
    return await hasSample(client);
  };
  return await steps.run("operators", operators.map(({ name }) => name).join(", "), async () => {
    // They load while their kinds are installed, and ask again soon for those that they come too early for.
    const [isThere] = await Promise.all([
      installKinds(client, clock).then(sample),
      supervisor.start("operator"),
    ]);
    return isThere;
  });
}
