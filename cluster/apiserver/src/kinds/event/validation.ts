import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateQualifiedName,
  type FieldError,
} from "@kedge/machinery";
import { Event } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { named, required } from "../validation/field-rules.ts";

/** What is wrong with an event by itself. Those with an event time are of the newer kind, and have stricter rules. */
export function validateEvent(object: StoredApiObject, controllerField = "reportingComponent"): FieldError[] {
  const event = decodedAs(Event, object);
  return (event.eventTime ?? null) === null ? oldErrors(event) : newErrors(event, controllerField);
}

function oldErrors({ metadata, involvedObject }: Decoded<Event>): FieldError[] {
  const { namespace = "" } = metadata ?? {};
  const about = involvedObject?.namespace ?? "";
  const isRight = about === "" ? namespace === "" || namespace === "default" : namespace === about;
  return isRight ? [] : [namespaceError(about)];
}

function newErrors(event: Decoded<Event>, controllerField: string): FieldError[] {
  const { metadata, involvedObject, reportingComponent = "", reportingInstance = "" } = event;
  const { action = "", reason = "", message = "" } = event;
  const about = involvedObject?.namespace ?? "";
  const component = fieldPath(controllerField);
  return [
    ...(about === "" && !["default", "kube-system"].includes(metadata?.namespace ?? "")
      ? [namespaceError(about)]
      : []),
    ...(reportingComponent === "" ? [fieldRequired(component)] : []),
    ...named(reportingComponent, validateQualifiedName, component),
    ...required(reportingInstance, fieldPath("reportingInstance")),
    ...atMost(reportingInstance, 128, "reportingInstance"),
    ...required(action, fieldPath("action")),
    ...atMost(action, 128, "action"),
    ...required(reason, fieldPath("reason")),
    ...atMost(reason, 128, "reason"),
    ...atMost(message, 1024, "message"),
  ];
}

function namespaceError(about: string): FieldError {
  return fieldInvalid(fieldPath("involvedObject", "namespace"), about, "does not match event.namespace");
}

function atMost(text: string, bytes: number, field: string): FieldError[] {
  return Buffer.byteLength(text) <= bytes
    ? []
    : [fieldInvalid(field, "", `can have at most ${bytes} characters`)];
}
