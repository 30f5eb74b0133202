import type { ContainerImage } from "@kedge/machinery/kinds/core/v1";
import { fullRepository, parseImageName } from "../oci/image-name.ts";
import type { KnownImage } from "../oci/image-record.ts";

/** As many as the kubelet tells of, and names of each. */
const mostImages = 50;
const mostNames = 5;

/** What a node says of its images: the largest first, by the names under which a registry would have them. */
export function nodeImages(images: readonly KnownImage[]): ContainerImage[] {
  return Array.from(Map.groupBy(images, ({ id }) => id).values(), (known): ContainerImage => ({
    names: [...new Set(known.flatMap(namesOf))].toSorted().slice(0, mostNames),
    sizeBytes: known[0]?.size ?? 0,
  }))
    .toSorted(
      (a, b) =>
        Number(b.sizeBytes) - Number(a.sizeBytes) || ((a.names?.[0] ?? "") < (b.names?.[0] ?? "") ? -1 : 1),
    )
    .slice(0, mostImages);
}

function namesOf({ name, repoDigests }: KnownImage): readonly string[] {
  return [name, ...repoDigests].map((text) => {
    const { repository, tag, digest } = parseImageName(text);
    return `${fullRepository(repository)}${digest === undefined ? `:${tag}` : `@${digest}`}`;
  });
}
