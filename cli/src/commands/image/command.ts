import { buildCommand, buildRouteMap } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import type { ListImagesFlags } from "./list.ts";
import type { LoadImageFlags } from "./load.ts";

const loadCommand = buildCommand<LoadImageFlags, [file: string], KedgeContext>({
  loader: async () => {
    const { runLoadImage } = await import("./load.ts");
    return function (flags, file) {
      return runLoadImage(this, flags, file);
    };
  },
  parameters: {
    flags: {
      name: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "name:tag",
        brief: "What the image is called. Default: what the archive says",
      },
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: String,
          placeholder: "file",
          brief: "Of `docker save`, an OCI archive, or the folder of an OCI layout",
        },
      ],
    },
  },
  docs: {
    brief: "Load an image from an archive",
    fullDescription: [
      "Loads the images of an archive, so that pods of clusters on this machine can run them. No cluster has to run.",
      "Knows what docker, podman, skopeo and buildah write, also compressed by gzip or zstd.",
      "",
      "EXAMPLES",
      "  docker save shop:1.4 -o shop.tar && kedge image load shop.tar",
      "  kedge image load layout/ --name shop:1.4",
    ].join("\n"),
  },
});

const listCommand = buildCommand<ListImagesFlags, [], KedgeContext>({
  loader: async () => {
    const { runListImages } = await import("./list.ts");
    return function (flags) {
      return runListImages(this, flags);
    };
  },
  parameters: {
    flags: {
      output: { kind: "enum", values: ["text", "json"], default: "text", brief: "How to print it" },
    },
    aliases: { o: "output" },
  },
  docs: {
    brief: "List the images on this machine",
    fullDescription: [
      "Lists the images that this machine has for pods, and how many containers run on each.",
      "",
      "EXAMPLES",
      "  kedge image list",
      "  kedge image list -o json",
    ].join("\n"),
  },
});

const removeCommand = buildCommand<object, string[], KedgeContext>({
  loader: async () => {
    const { runRemoveImages } = await import("./remove.ts");
    return function (_flags, ...images) {
      return runRemoveImages(this, images);
    };
  },
  parameters: {
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        parse: String,
        placeholder: "image",
        brief: "A name, or an id of `kedge image list` (12 digits or more)",
      },
    },
  },
  docs: {
    brief: "Remove images",
    fullDescription: [
      "Takes names of images away, and deletes what no name needs any more. An image that a container runs on stays.",
      "",
      "EXAMPLES",
      "  kedge image rm shop:1.4",
      "  kedge image rm 4f3c2a1b0d9e",
    ].join("\n"),
  },
});

/** `kedge image …` */
export const imageRoutes = buildRouteMap({
  routes: { load: loadCommand, list: listCommand, rm: removeCommand },
  docs: { brief: "Load, list and remove images for pods" },
});
