/** Carries `--image-alias` from `kedge up` to the node's process: name=image, separated by spaces. */
export const imageAliasVariable = "KEDGE_IMAGE_ALIASES";

/** Names of images, and what is run instead. */
export function imageAliases(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const pairs = (env[imageAliasVariable] ?? "").split(" ").filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", image = ""] = pair.split("=");
      return [name, image];
    }),
  );
}
