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

/** Throws a 413 for an object of too many values, a 400 for one that is too deep. */
export function checkValues(value: unknown): void {
  const { metadata } = isJsonObject(value) ? value : {};
  const managed = checkManagedValues(isJsonObject(metadata) ? metadata["managedFields"] : undefined);
  if (valuesIn(value, 0) - managed > mostValues) throw tooManyValues("it");
}

/** The same for managedFields alone; returns how many they have. */
export function checkManagedValues(managedFields: unknown): number {
  const count = valuesIn(managedFields, 2);
  if (count > 2 * mostValues) throw tooManyValues("metadata.managedFields");
  return count;
}

/** 413: an object of so many values is not taken. */
export function tooManyValues(what: string): StatusError {
  const most = what === "it" ? mostValues : 2 * mostValues;
  return requestEntityTooLarge(
    `${what} has more than ${most} values (fields, items and keys); make several objects of it`,
  );
}

function valuesIn(value: unknown, depth: number): number {
  if (depth > deepest) throw badRequest("exceeded max depth");
  let count = 0;
  if (isJsonList(value)) {
    for (const item of value) {
      count++;
      if (typeof item === "object" && item !== null) count += valuesIn(item, depth + 1);
    }
  } else if (isJsonObject(value)) {
    for (const key in value) {
      count++;
      const child = value[key];
      if (typeof child === "object" && child !== null) count += valuesIn(child, depth + 1);
    }
  }
  return count;
}
