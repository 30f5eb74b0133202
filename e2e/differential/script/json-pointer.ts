/** The value at a JSON pointer (RFC 6901); undefined when there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  return placesAt(root, pointer)[0]?.value;
}

/** A place in a JSON value that can be changed. */
export interface Place {
  /** With the keys that `*` stood for. */
  readonly pointer: string;
  readonly value: unknown;
  readonly parent: Record<string, unknown> | unknown[] | undefined;
  readonly key: string;
}

/** All places that a pointer leads to; `*` stands for every key or index. */
export function placesAt(root: unknown, pointer: string): readonly Place[] {
  let places: readonly Place[] = [{ pointer: "", value: root, parent: undefined, key: "" }];
  for (const token of tokensOf(pointer)) {
    places = places.flatMap((place) => childrenOf(place, token));
  }
  return places;
}

/** As a part of a pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Is this text a pointer? */
export function isPointer(text: string): boolean {
  return text === "" || text.startsWith("/");
}

function tokensOf(pointer: string): readonly string[] {
  const [, ...tokens] = pointer.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function childrenOf({ pointer, value }: Place, token: string): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const parent = value as Record<string, unknown> | unknown[];
  return Object.entries(parent)
    .filter(([key]) => token === "*" || key === token)
    .map(([key, child]) => ({ pointer: `${pointer}/${escapeToken(key)}`, value: child, parent, key }));
}
