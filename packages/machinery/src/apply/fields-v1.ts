import { isJsonObject, setOwn, type JsonObject } from "../json/json.ts";
import { below, emptySet, isEmptySet, type FieldSet } from "./field-set.ts";
import { parsePathElement, sortElements, type PathElement } from "./path-element.ts";

/** Reads a set from `fieldsV1` of a managedFields entry. Elements of unknown kinds are left out; throws on broken ones. */
export function readFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptySet;
  if (!isJsonObject(fields))
    throw new TypeError(`fieldsV1: must be an object, not ${JSON.stringify(fields)}`);
  return readLevel(fields).set;
}

/** Writes a set as `fieldsV1`, its keys in the order of the server's. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  return writeLevel(set, false);
}

function readLevel(fields: JsonObject): { readonly set: FieldSet; readonly member: boolean } {
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  const set: FieldSet = { members, children };
  let member = false;
  for (const [key, value] of Object.entries(fields)) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    if (value !== null && !isJsonObject(value)) {
      throw new TypeError(`fieldsV1: ${key}: must be an object, not ${JSON.stringify(value)}`);
    }
    const child = readLevel(value ?? {});
    if (child.member) members.add(element);
    if (!isEmptySet(child.set)) children.set(element, child.set);
  }
  return { set, member: member || isEmptySet(set) };
}

function writeLevel(set: FieldSet, member: boolean): JsonObject {
  const fields: JsonObject = {};
  if (member && !isEmptySet(set)) fields["."] = {};
  for (const element of sortElements(new Set([...set.members, ...set.children.keys()]))) {
    setOwn(fields, element, writeLevel(below(set, element), set.members.has(element)));
  }
  return fields;
}
