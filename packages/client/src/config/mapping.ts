import { fieldOf, placeError, type Place } from "./place.ts";

/** A mapping of a document that came from outside, and where it stands. */
export interface Mapping {
  readonly place: Place;
  readonly fields: ReadonlyMap<string, unknown>;
}

/** An item of a list, not yet checked. */
export interface Item {
  readonly place: Place;
  readonly value: unknown;
}

/** Reads a mapping; null and absent are an empty one, as for Kubernetes' own decoder. */
export function mappingFrom(value: unknown, place: Place): Mapping {
  if (isAbsent(value)) return { place, fields: new Map() };
  if (typeof value !== "object" || Array.isArray(value)) {
    throw placeError(place, `must be a mapping, got ${typeName(value)}`);
  }
  return { place, fields: new Map(Object.entries(value)) };
}

/** Reads a field that holds a mapping; undefined when it is absent. */
export function mappingField(mapping: Mapping, name: string): Mapping | undefined {
  const value = mapping.fields.get(name);
  return isAbsent(value) ? undefined : mappingFrom(value, fieldOf(mapping.place, name));
}

/** Reads a string; an empty one counts as absent. The message names the type only: the value may be a secret. */
export function stringField(mapping: Mapping, name: string): string | undefined {
  const value = mapping.fields.get(name);
  if (isAbsent(value) || value === "") return undefined;
  return requireString({ value, place: fieldOf(mapping.place, name) });
}

/** Reads true or false; absent is false. */
export function booleanField(mapping: Mapping, name: string): boolean {
  const value = mapping.fields.get(name);
  if (isAbsent(value)) return false;
  if (typeof value === "boolean") return value;
  throw placeError(fieldOf(mapping.place, name), `must be true or false, got ${typeName(value)}`);
}

/** Reads a list; absent is empty. */
export function listField(mapping: Mapping, name: string): readonly Item[] {
  const value = mapping.fields.get(name);
  if (isAbsent(value)) return [];
  const place = fieldOf(mapping.place, name);
  if (!Array.isArray(value)) throw placeError(place, `must be a list, got ${typeName(value)}`);
  return Array.from(value, (item: unknown, index) => ({
    value: item,
    place: { ...place, path: `${place.path}[${index}]` },
  }));
}

/** Reads a list of strings; absent is empty. */
export function stringsField(mapping: Mapping, name: string): readonly string[] {
  return listField(mapping, name).map(requireString);
}

function requireString(item: Item): string {
  if (typeof item.value === "string") return item.value;
  const isScalar = typeof item.value === "number" || typeof item.value === "boolean";
  const wayOut = isScalar ? "; put it in quotes" : "";
  throw placeError(item.place, `must be a string, got ${typeName(item.value)}${wayOut}`);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function typeName(value: unknown): string {
  if (isAbsent(value)) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}
