/** JSON as Go writes it: as JavaScript does, but with escapes for what could be HTML. */
export function goJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replacer);
  // Looking is cheaper than replacing, and nearly nothing has any.
  if (!/[<>&\u2028\u2029]/.test(text)) return text;
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
