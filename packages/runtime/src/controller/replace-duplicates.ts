import { findStatus, isJsonList, isJsonObject, type JsonPatchOperation } from "@kedge/machinery";
import type { StoredView } from "../informer/stored-view.ts";

/**
 * What must be patched before an apply that was refused for duplicates can go through; undefined when that was not why.
 * Lists are merged by their keys: a port whose number somebody has changed is another port to the server, which keeps it
 * beside ours, and then finds two of one name. Such a list becomes the one that is wanted, each item with what the server
 * had given it, such as a node port. The patch is of that very version.
 */
export function replaceDuplicates(
  wanted: object,
  live: StoredView,
  error: unknown,
): readonly JsonPatchOperation[] | undefined {
  const lists = new Map<string, JsonPatchOperation>();
  for (const { reason, field = "" } of findStatus(error)?.details?.causes ?? []) {
    const match = reason === "FieldValueDuplicate" ? duplicateField.exec(field) : null;
    const { list = "", member = "" } = match?.groups ?? {};
    const path = list.split(/[.[\]]+/u).filter((part) => part !== "");
    const value = match === null ? undefined : listOf(at(wanted, path), at(live, path), member);
    if (value === undefined) continue;
    const pointer = `/${path.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
    lists.set(pointer, { op: "replace", path: pointer, value });
  }
  if (lists.size === 0) return undefined;
  const { resourceVersion } = live.metadata;
  return [{ op: "replace", path: "/metadata/resourceVersion", value: resourceVersion }, ...lists.values()];
}

/** `spec.ports[1].name`, or `spec.ports[1]` where several members make the key. */
const duplicateField = /^(?<list>.+)\[\d+\](?:\.(?<member>[A-Za-z]+))?$/u;

function listOf(wanted: unknown, live: unknown, member: string): readonly unknown[] | undefined {
  if (!isJsonList(wanted) || !isJsonList(live)) return undefined;
  return wanted.map((item: unknown) => {
    if (!isJsonObject(item) || item[member] === undefined) return item;
    const had = live.find((other) => isJsonObject(other) && other[member] === item[member]);
    return isJsonObject(had) ? { ...had, ...item } : item;
  });
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, part) => {
    if (isJsonList(inner)) return inner[Number(part)];
    return isJsonObject(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined;
  }, value);
}
