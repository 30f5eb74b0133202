const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);

/** Whether CEL keeps a name for itself: as that of a field it may be written as it is. */
export function isReserved(name: string): boolean {
  return reserved.has(name);
}

/** The name that a field has in expressions: `a-b` is `a__dash__b`. Undefined when it cannot be named. */
export function escapeName(name: string): string | undefined {
  if (name === "" || /^\d/u.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z0-9_./-]+$/u.test(name)) return undefined;
  return name.replace(/__|[-./]/gu, (part) => replacements.get(part) ?? part);
}

/** The field that a name in an expression means. Undefined when it means none. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes("__")) return escaped;
  let wrong = false;
  const name = escaped.replace(/__[^_]+__/gu, (part) => {
    const inside = part.slice(2, -2);
    const found = originals.get(inside);
    if (found !== undefined) return found;
    wrong ||= !reserved.has(inside) || part.length !== escaped.length;
    return inside;
  });
  return wrong ? undefined : name;
}

const replacements: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

const originals: ReadonlyMap<string, string> = new Map([
  ["underscores", "__"],
  ["dot", "."],
  ["dash", "-"],
  ["slash", "/"],
]);
