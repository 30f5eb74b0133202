import { ImageError, imageNameText, isImageName, parseImageName, type KnownImage } from "@kedge/node";
import type { KedgeContext } from "../../context.ts";
import { machineStore } from "./machine-store.ts";

/** Removes images by name or id; all of them are found first. */
export async function runRemoveImages(context: KedgeContext, images: readonly string[]): Promise<void> {
  const store = await machineStore(context);
  const known = await store.list();
  const going = [...new Set(images.flatMap((image) => namesOf(image, known)))];
  for (const name of going) {
    const { inUse } = await store.remove([name]);
    if (inUse.length > 0) {
      const containers = inUse.map(({ container }) => container.slice(0, 12));
      throw new ImageError(
        "IN_USE",
        `${name} is in use by ${containers.length === 1 ? "the container" : "the containers"} ${containers.join(", ")}`,
      );
    }
    context.process.stdout.write(`Removed ${name}\n`);
  }
}

function namesOf(image: string, known: readonly KnownImage[]): readonly string[] {
  const text = isImageName(image) ? imageNameText(parseImageName(image)) : image;
  if (known.some(({ name }) => name === text)) return [text];
  const hex = image.replace(/^sha256:/u, "");
  const byId = /^[0-9a-f]{12,64}$/u.test(hex) ? known.filter(({ id }) => id.startsWith(`sha256:${hex}`)) : [];
  if (byId.length > 0) return byId.map(({ name }) => name);
  throw new ImageError("NOT_FOUND", `there is no image ${text} on this machine`, {
    hint: "`kedge image list` shows those that there are.",
  });
}
