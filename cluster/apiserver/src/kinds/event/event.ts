import { Event } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { validateEvent } from "./validation.ts";
import { eventPrinter } from "./printer.ts";

/** Events. They go by themselves after an hour. */
export function eventDefinition(): KindDefinition {
  return {
    kind: Event,
    printer: eventPrinter,
    strategy: {
      validate: (object) => validateEvent(object),
      selectableFieldNames: [
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
      ],
      selectableFields,
      generation: "none",
      createOnUpdate: true,
      ttl: 60 * 60,
    },
  };
}

function selectableFields(object: StoredApiObject): Readonly<Record<string, string>> {
  const { involvedObject, reason, reportingComponent, source, type } = decodedAs(Event, object);
  return {
    "involvedObject.kind": involvedObject?.kind ?? "",
    "involvedObject.namespace": involvedObject?.namespace ?? "",
    "involvedObject.name": involvedObject?.name ?? "",
    "involvedObject.uid": involvedObject?.uid ?? "",
    "involvedObject.apiVersion": involvedObject?.apiVersion ?? "",
    "involvedObject.resourceVersion": involvedObject?.resourceVersion ?? "",
    "involvedObject.fieldPath": involvedObject?.fieldPath ?? "",
    reason: reason ?? "",
    reportingComponent: reportingComponent ?? "",
    source: source?.component ?? reportingComponent ?? "",
    type: type ?? "",
  };
}
