import { best, type Score } from "./types.ts";

const mebibyte = 1024 * 1024;
const least = 23 * mebibyte;
const mostOfOne = 1000 * mebibyte;

/** Nodes that have the pod's images already: by their sizes, and less for images that few nodes have. */
export const imageLocality: Score = {
  name: "ImageLocality",
  prepare({ pod: { spec }, view }) {
    const containers = [...(spec.initContainers ?? []), ...spec.containers];
    const images = [
      ...containers.map(({ image = "" }) => normalized(image)),
      ...(spec.volumes ?? []).flatMap(({ image }) =>
        image === undefined ? [] : [normalized(image.reference ?? "")],
      ),
    ];
    const shares = new Map(images.map((image) => [image, view.nodesWithImage(image) / view.nodes.length]));
    if ([...shares.values()].every((share) => share === 0)) return undefined;
    const most = mostOfOne * containers.length;
    return {
      of(node) {
        let sum = 0;
        for (const image of images) {
          const size = node.images.get(image);
          if (size !== undefined) sum += Math.trunc(size * (shares.get(image) ?? 0));
        }
        const bounded = Math.min(Math.max(sum, least), most);
        return Math.floor((best * (bounded - least)) / (most - least));
      },
    };
  },
};

/** With its tag, which nodes tell. */
function normalized(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
}
