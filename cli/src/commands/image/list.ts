import { realClock } from "@kedge/machinery";
import type { KedgeContext } from "../../context.ts";
import { imagesText, type ListedImage } from "./images-text.ts";
import { machineStore } from "./machine-store.ts";

/** The flags of `kedge image list`. */
export interface ListImagesFlags {
  readonly output: "text" | "json";
}

/** Prints the images of this machine. */
export async function runListImages(context: KedgeContext, flags: ListImagesFlags): Promise<void> {
  const store = await machineStore(context);
  const uses = await store.uses();
  const images = (await store.list()).map((record): ListedImage => {
    const { name, id, manifest, size, from, origin, createdAt, usedAt } = record;
    const containers = uses.filter(({ image }) => image === id).length;
    return { name, id, manifest, size, from, origin, createdAt, usedAt, containers };
  });
  const text =
    flags.output === "json"
      ? `${JSON.stringify(images, undefined, 2)}\n`
      : imagesText(images, realClock.now());
  context.process.stdout.write(text);
}
