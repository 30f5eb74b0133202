/**
 * Replaces `$(NAME)` by its value. `$$` is a dollar sign, so `$$(NAME)` stays `$(NAME)`; a name that nobody knows
 * stays as it is written.
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/gu, (reference: string, name: string | undefined) =>
    name === undefined ? "$" : (lookup(name) ?? reference),
  );
}
