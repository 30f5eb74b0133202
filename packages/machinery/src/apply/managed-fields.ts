import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import type { ManagedFieldsEntry } from "../objects/metadata.ts";
import { goQuote } from "../go/go-quote.ts";
import { readFieldsV1InSteps, writeFieldsV1InSteps } from "./fields-v1.ts";
import { manager, type Manager, type Managers } from "./managers.ts";
import { finish, type Steps } from "../steps.ts";
import { compareText } from "../go/text-order.ts";

/** Reads `metadata.managedFields`. Throws with the server's words when an entry is broken. */
export function readManagedFields(entries: unknown): Managers {
  return finish(readManagedFieldsInSteps(entries));
}

/** The same, in steps. */
export function* readManagedFieldsInSteps(entries: unknown): Steps<Managers> {
  const managers = new Map<string, Manager>();
  for (const [index, entry] of (isJsonList(entries) ? entries : []).entries()) {
    const read = yield* readEntry(isJsonObject(entry) ? entry : {}, index);
    managers.set(read.id, read);
    yield;
  }
  return managers;
}

/** Writes `metadata.managedFields`, sorted as the server does; undefined when there are no managers. */
export function writeManagedFields(managers: Managers): ManagedFieldsEntry[] | undefined {
  return finish(writeManagedFieldsInSteps(managers));
}

/** The same, in steps. */
export function* writeManagedFieldsInSteps(managers: Managers): Steps<ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const entry of [...managers.values()].toSorted(compareManagers)) {
    entries.push({
      ...(entry.name === "" ? undefined : { manager: entry.name }),
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      ...(entry.time === undefined ? undefined : { time: entry.time }),
      fieldsType: "FieldsV1",
      fieldsV1: yield* writeFieldsV1InSteps(entry.fields),
      ...(entry.subresource === "" ? undefined : { subresource: entry.subresource }),
    });
    yield;
  }
  return entries;
}

/** Whether a writer asks to forget all managers: with an empty list, or with one empty entry. */
export function isReset(entries: unknown): boolean {
  if (!isJsonList(entries)) return false;
  const [first] = entries;
  return (
    entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0)
  );
}

/** Seconds since 1970, 0 without a time. */
export function secondsOf(time: string | undefined): number {
  const milliseconds = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

function* readEntry(entry: JsonObject, index: number): Steps<Manager> {
  const operation = entry["operation"];
  if (operation !== "Apply" && operation !== "Update")
    throw new TypeError("operation must be `Apply` or `Update`");
  const apiVersion = textOf(entry["apiVersion"]);
  if (apiVersion === "") throw new TypeError("apiVersion must not be empty");
  const fieldsType = textOf(entry["fieldsType"]);
  if (fieldsType === "") throw new TypeError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new TypeError(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  }
  const identity = {
    name: textOf(entry["manager"]),
    operation,
    apiVersion,
    subresource: textOf(entry["subresource"]),
  } as const;
  const time = entry["time"];
  const fields = yield* readFieldsV1InSteps(entry["fieldsV1"]);
  return manager(identity, fields, typeof time === "string" ? time : undefined);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Apply before Update; then the oldest first. */
function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}
