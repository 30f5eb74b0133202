import {
  clone,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateDns1123Subdomain,
  type FieldError,
} from "@kedge/machinery";
import { Event } from "@kedge/machinery/kinds/core/v1";
import { Event as NewerEvent } from "@kedge/machinery/kinds/events/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { immutable, named } from "../validation/field-rules.ts";
import { eventPrinter } from "./printer.ts";
import { eventDefinition } from "./event.ts";
import { validateEvent } from "./validation.ts";

/** Events as the group events.k8s.io has them: the same objects as those of the core group, by other names. */
export function newerEventDefinition(): KindDefinition {
  const { strategy } = eventDefinition();
  return {
    kind: NewerEvent,
    printer: {
      ...eventPrinter,
      table: {
        ...eventPrinter.table,
        cells: (object, now) => eventPrinter.table.cells(asStored(object), now),
      },
    },
    storage: "events",
    storedAs: { group: "", version: "v1", kind: "Event" },
    conversion: { toStored, fromStored },
    strategy: {
      ...strategy,
      refusedGroup: "",
      validate: (object, previous) => [
        ...validateEvent(asStored(object), "reportingController"),
        ...(previous === undefined ? newErrors(decodedAs(Event, asStored(object))) : []),
      ],
      validateUpdate: (object, previous) =>
        changeErrors(decodedAs(Event, asStored(object)), decodedAs(Event, asStored(previous))),
      selectableFieldNames: selectable(strategy.selectableFieldNames ?? []),
      selectableFields: (object) => {
        const fields = strategy.selectableFields?.(asStored(object)) ?? {};
        const names = Object.keys(fields).filter((name) => name !== "source");
        return Object.fromEntries(
          selectable(names).map((name, i) => [name, fields[names[i] ?? ""] ?? ""] as const),
        );
      },
    },
  };
}

/** What selectors call fields here. */
function selectable(fields: readonly string[]): readonly string[] {
  return fields
    .filter((name) => name !== "source")
    .map((name) => name.replace(/^involvedObject\./u, "regarding.").replace("Component", "Controller"));
}

/** What fields are called here, and in the core group. */
const names = [
  ["note", "message"],
  ["regarding", "involvedObject"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
] as const;

function toStored(object: ApiObject): void {
  for (const [here, there] of names) rename(object, here, there);
  object["reportingComponent"] ??= "";
  object["reportingInstance"] ??= "";
}

function fromStored(object: ApiObject): void {
  for (const [here, there] of names) rename(object, there, here);
  for (const field of ["reportingController", "reportingInstance"])
    if (object[field] === "") delete object[field];
}

function rename(object: ApiObject, from: string, to: string): void {
  const value = object[from];
  delete object[from];
  if (value !== undefined) object[to] = value;
}

function asStored(object: StoredApiObject): StoredApiObject {
  const stored = clone<ApiObject>(object);
  toStored(stored);
  return stored;
}

/** Who writes events here has to write all that is new about them, and none of what is old. */
function newErrors(event: Decoded<Event>): FieldError[] {
  const { metadata, series, eventTime, type = "", source } = event;
  return [
    ...named(metadata?.name ?? "", validateDns1123Subdomain, fieldPath("metadata", "name")),
    ...seriesErrors(series),
    ...(isTime(eventTime) ? [] : [fieldRequired("eventTime")]),
    ...(type === "Normal" || type === "Warning"
      ? []
      : [fieldInvalid("type", "", `has invalid value: ${type}`)]),
    ...unset("firstTimestamp", isTime(event.firstTimestamp)),
    ...unset("lastTimestamp", isTime(event.lastTimestamp)),
    ...unset("count", (event.count ?? 0) !== 0),
    ...unset("source", (source?.component ?? "") !== "" || (source?.host ?? "") !== ""),
  ];
}

function unset(field: string, isSet: boolean): FieldError[] {
  return isSet ? [fieldInvalid(field, "", "needs to be unset")] : [];
}

function isTime(time: string | null | undefined): boolean {
  return (time ?? null) !== null;
}

function seriesErrors(series: Decoded<Event>["series"]): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [fieldInvalid("series.count", "", "should be at least 2")] : []),
    ...((series.lastObservedTime ?? null) === null ? [fieldRequired("series.lastObservedTime")] : []),
  ];
}

/** Only how often it has happened may change. */
function changeErrors(event: Decoded<Event>, previous: Decoded<Event>): FieldError[] {
  const kept = [
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
  ] as const;
  return [
    ...(JSON.stringify(event.series) === JSON.stringify(previous.series) ? [] : seriesErrors(event.series)),
    ...kept.flatMap((field) =>
      immutable(
        event[field],
        previous[field],
        fieldPath(field === "reportingComponent" ? "reportingController" : field),
      ),
    ),
  ];
}
