import { isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import { emptySet, isEmptySet, type FieldSet } from "./field-set.ts";
import { parsePathElement, sortElements, type PathElement } from "./path-element.ts";
import { finish, type Steps } from "../steps.ts";

/** Reads a set from `fieldsV1` of a managedFields entry. Elements of unknown kinds are left out; throws on broken ones. */
export function readFieldsV1(fields: unknown): FieldSet {
  return finish(readFieldsV1InSteps(fields));
}

/** The same, in steps. */
export function* readFieldsV1InSteps(fields: unknown): Steps<FieldSet> {
  if (fields === undefined || fields === null) return emptySet;
  if (!isJsonObject(fields))
    throw new TypeError(`fieldsV1: must be an object, not ${JSON.stringify(fields)}`);
  if (hasNoKeys(fields)) return emptySet;
  if (!Object.isFrozen(fields)) return (yield* readLevel(fields)).set;
  const set = setOf.get(fields) ?? (yield* readLevel(fields)).set;
  setOf.set(fields, set);
  return set;
}

/**
 * Most sets are as they were before a write: those that were read or written are not read or written again. Of what may
 * still be changed, nothing is known.
 */
const setOf = new WeakMap<JsonObject, FieldSet>();
const fieldsOf = new WeakMap<FieldSet, JsonObject>();

/** Writes a set as `fieldsV1`, its keys in the order of the server's. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  return finish(writeFieldsV1InSteps(set));
}

/** The same, in steps. */
export function* writeFieldsV1InSteps(set: FieldSet): Steps<JsonObject> {
  const known = fieldsOf.get(set);
  if (known !== undefined && Object.isFrozen(known)) return known;
  const fields = yield* writeLevel(set, false);
  setOf.set(fields, set);
  fieldsOf.set(set, fields);
  return fields;
}

interface Level {
  readonly set: FieldSet;
  /** Whether the element above is a member itself. */
  readonly member: boolean;
}

/** Nearly all elements have nothing below them. One level for all of these: objects may have tens of thousands. */
const leaf: Level = { set: emptySet, member: true };

function* readLevel(fields: JsonObject): Steps<Level> {
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  const set: FieldSet = { members, children };
  let member = false;
  for (const [index, key] of Object.keys(fields).entries()) {
    if (index % elementsInStep === elementsInStep - 1) yield;
    const value = fields[key] ?? {};
    if (key === ".") {
      member = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    if (!isJsonObject(value)) {
      throw new TypeError(`fieldsV1: ${key}: must be an object, not ${JSON.stringify(value)}`);
    }
    const child = hasNoKeys(value) ? leaf : yield* readLevel(value);
    if (child.member) members.add(element);
    if (!isEmptySet(child.set)) children.set(element, child.set);
  }
  return { set, member: member || isEmptySet(set) };
}

/** So many elements of a level are read or written in a step. */
const elementsInStep = 5000;

function* writeLevel(set: FieldSet, member: boolean): Steps<JsonObject> {
  const fields: JsonObject = {};
  if (member && !isEmptySet(set)) fields["."] = {};
  const elements = sortElements(new Set([...set.members, ...set.children.keys()]));
  if (elements.length > elementsInStep) yield;
  for (const [index, element] of elements.entries()) {
    if (index % elementsInStep === elementsInStep - 1) yield;
    const child = set.children.get(element);
    const written = child === undefined ? {} : yield* writeLevel(child, set.members.has(element));
    setOwn(fields, element, written);
  }
  return fields;
}

function hasNoKeys(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
