/** Names one object of a known kind. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Prints a key as Kubernetes' logs do: `namespace/name`, or `name` for cluster-scoped objects. */
export function keyToString(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** Reads what `keyToString` printed. Throws when the text has more than one slash or no name. */
export function parseKey(text: string): ObjectKey {
  const parts = text.split("/");
  const [first = "", second] = parts;
  if (parts.length === 1 && first !== "") return { name: first };
  if (parts.length === 2 && first !== "" && second !== undefined && second !== "") {
    return { namespace: first, name: second };
  }
  throw new TypeError(`object key ${JSON.stringify(text)}: must be "name" or "namespace/name"`);
}

/** The key of an object that has a name. */
export function keyOf(object: {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === "" ? { name } : { namespace, name };
}
