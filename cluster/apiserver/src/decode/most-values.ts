import {
  badRequest,
  isJsonList,
  isJsonObject,
  requestEntityTooLarge,
  type StatusError,
} from "@kedge/machinery";
import { deepest } from "./scan-json.ts";

/**
 * An object may have so many values (fields, items, keys), and its managedFields twice as many. Kubernetes has no such
 * limit, but no object that people write comes near: the largest definitions of custom resources have half of it. Each
 * step of a write takes a microsecond or two for a value, and no step may hold up others for more than 100 ms.
 */
export const mostValues = 40_000;

/** Throws a 413 for an object of too many values, a 400 for one that is too deep; returns how many keys it has. */
export function checkValues(value: unknown): number {
  const { metadata } = isJsonObject(value) ? value : {};
  const managed = checkManagedValues(isJsonObject(metadata) ? metadata["managedFields"] : undefined);
  const count: Count = { keys: 0, items: 0 };
  countIn(value, 0, count);
  if (count.keys + count.items - managed > mostValues) throw tooManyValues("it");
  return count.keys;
}

/** The same for managedFields alone; returns how many values they have. */
export function checkManagedValues(managedFields: unknown): number {
  const count: Count = { keys: 0, items: 0 };
  countIn(managedFields, 2, count);
  const values = count.keys + count.items;
  if (values > 2 * mostValues) throw tooManyValues("metadata.managedFields");
  return values;
}

/** 413: an object of so many values is not taken. */
export function tooManyValues(what: string): StatusError {
  const most = what === "it" ? mostValues : 2 * mostValues;
  return requestEntityTooLarge(
    `${what} has more than ${most} values (fields, items and keys); make several objects of it`,
  );
}

interface Count {
  keys: number;
  items: number;
}

function countIn(value: unknown, depth: number, count: Count): void {
  if (depth > deepest) throw badRequest("exceeded max depth");
  if (isJsonList(value)) {
    count.items += value.length;
    for (const item of value) if (typeof item === "object" && item !== null) countIn(item, depth + 1, count);
  } else if (isJsonObject(value)) {
    for (const key in value) {
      count.keys++;
      const child = value[key];
      if (typeof child === "object" && child !== null) countIn(child, depth + 1, count);
    }
  }
}
