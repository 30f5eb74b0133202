import { Event } from "@kedge/machinery/kinds/core/v1";
import { Event as NewEvent } from "@kedge/machinery/kinds/events/v1";
import { age } from "../../tables/age.ts";
import { column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

const columns = [
  column("Last Seen", "How long ago it happened the last time."),
  column("Type", "Normal, or Warning."),
  column("Reason", "What happened, in one word."),
  column("Object", "What it happened to."),
  column("Subobject", "Which part of it.", { wide: true }),
  column("Source", "Who tells of it.", { wide: true }),
  column("Message", "What happened, in a sentence."),
  column("First Seen", "How long ago it happened the first time.", { wide: true }),
  column("Count", "How often it happened.", { wide: true }),
  { ...nameColumn, priority: 1 },
];

/** `kubectl get events`. */
export const eventPrinter = printerOf(Event, columns, (event, now) =>
  eventCells(
    {
      name: event.metadata?.name,
      type: event.type,
      reason: event.reason,
      object: event.involvedObject,
      component: firstText(event.source?.component, event.reportingComponent),
      host: firstText(event.source?.host, event.reportingInstance),
      message: event.message,
      first: event.firstTimestamp ?? event.eventTime,
      last: event.lastTimestamp ?? undefined,
      count: event.count,
      series: event.series,
    },
    now,
  ),
);

/** The same for events.k8s.io, which has other names for the same fields. */
export const newEventPrinter = printerOf(NewEvent, columns, (event, now) =>
  eventCells(
    {
      name: event.metadata?.name,
      type: event.type,
      reason: event.reason,
      object: event.regarding,
      component: firstText(event.deprecatedSource?.component, event.reportingController),
      host: firstText(event.deprecatedSource?.host, event.reportingInstance),
      message: event.note,
      first: event.deprecatedFirstTimestamp ?? event.eventTime,
      last: event.deprecatedLastTimestamp ?? undefined,
      count: event.deprecatedCount,
      series: event.series,
    },
    now,
  ),
);

interface EventFacts {
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly reason: string | undefined;
  readonly object:
    | {
        readonly kind?: string | undefined;
        readonly name?: string | undefined;
        readonly fieldPath?: string | undefined;
      }
    | undefined;
  readonly component: string;
  readonly host: string;
  readonly message: string | undefined;
  readonly first: string | null | undefined;
  readonly last: string | undefined;
  readonly count: number | undefined;
  readonly series:
    | { readonly lastObservedTime?: string | null | undefined; readonly count?: number | undefined }
    | undefined;
}

function eventCells(event: EventFacts, now: number): readonly unknown[] {
  const kind = (event.object?.kind ?? "").toLowerCase();
  const name = event.object?.name ?? "";
  return [
    age(event.series === undefined ? (event.last ?? event.first) : event.series.lastObservedTime, now),
    event.type ?? "",
    event.reason ?? "",
    name === "" ? kind : `${kind}/${name}`,
    event.object?.fieldPath ?? "",
    event.host === "" ? event.component : `${event.component}, ${event.host}`,
    (event.message ?? "").trim(),
    age(event.first, now),
    event.series === undefined ? (event.count ?? 0) || 1 : (event.series.count ?? 0),
    event.name,
  ];
}

function firstText(one: string | undefined, other: string | undefined): string {
  return one === undefined || one === "" ? (other ?? "") : one;
}
