import { join } from "node:path";
import { applicationKinds } from "@kedge/application-operator";
import { redisKinds } from "@kedge/redis-operator";
import { writeCrds } from "@kedge/schema";
import type { KedgeContext } from "../../context.ts";

/** The flags of `kedge generate crds`. */
export interface GenerateFlags {
  readonly dir?: string;
}

/** Writes the definitions of all kinds. */
export async function generateCrds(context: KedgeContext, flags: GenerateFlags): Promise<void> {
  const folder = flags.dir ?? join(context.root, "config/crd/bases");
  const files = await writeCrds(folder, [...redisKinds, ...applicationKinds]);
  context.process.stdout.write(files.map((file) => `${file}\n`).join(""));
}
