import { isJsonObject } from "@kedge/machinery";

/** The value at a path of plain fields, `.spec.replicas`; undefined when there is none. */
export function valueAt(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const name of path.replace(/^\./u, "").split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
