/** What is run instead of the images of some names: what was known, and what `--image-alias name=image` says now. */
export function withAliases(
  known: Readonly<Record<string, string>>,
  given: readonly string[],
): Readonly<Record<string, string>> {
  const aliases = new Map(Object.entries(known));
  for (const alias of given) {
    const [name = "", image = ""] = alias.split("=");
    // A name that means itself is none.
    if (name === image) aliases.delete(name);
    else aliases.set(name, image);
  }
  return Object.fromEntries(aliases);
}
