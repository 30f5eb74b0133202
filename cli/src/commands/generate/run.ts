import { join } from "node:path";
import { writeCrds } from "@kedge/schema";
import type { KedgeContext } from "../../context.ts";
import { operators } from "../../operators.ts";

/** The flags of `kedge generate crds`. */
export interface GenerateFlags {
  readonly dir?: string;
}

/** Writes the definitions of all kinds. */
export async function generateCrds(context: KedgeContext, flags: GenerateFlags): Promise<void> {
  const folder = flags.dir ?? join(context.root, "config/crd/bases");
  const files = await writeCrds(
    folder,
    operators.flatMap(({ kinds }) => kinds),
  );
  context.process.stdout.write(files.map((file) => `${file}\n`).join(""));
}
