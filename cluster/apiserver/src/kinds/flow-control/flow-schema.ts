import {
  deepEqual,
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  type FieldError,
} from "@kedge/machinery";
import { FlowSchema } from "@kedge/machinery/kinds/flowcontrol/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { repeated } from "../repeated.ts";
import { statusPart } from "../status.ts";
import { mandatoryFlowSchemas } from "./bootstrap-flows.ts";
import { validateFlowRules, validateFlowSchemaSpec } from "./flow-schema-validation.ts";

/** FlowSchemas: which requests are treated alike. */
export function flowSchemaDefinition(): KindDefinition {
  return {
    kind: FlowSchema,
    printer,
    strategy: { validate },
    subresources: { status: statusPart({ validateUpdate: validateConditionTypes }) },
  };
}

function validate(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(FlowSchema, object);
  const { name = "" } = object.metadata;
  const fixed = mandatoryFlowSchemas.get(name);
  return [
    ...validateFlowSchemaSpec(spec, name),
    ...(spec.rules ?? []).flatMap((rule, i) => validateFlowRules(rule, fieldPath("spec", "rules").index(i))),
    ...(fixed === undefined || deepEqual(spec, fixed)
      ? []
      : [fieldInvalid("spec", spec, `spec of '${name}' must equal the fixed value`)]),
    ...validateConditionTypes(object),
  ];
}

/** What is wrong with the conditions of flow schemas and priority levels. */
export function validateConditionTypes(object: StoredApiObject): FieldError[] {
  const { conditions = [] } = decodedAs(FlowSchema, object).status ?? {};
  const second = repeated(conditions, ({ type = "" }) => type);
  return conditions.flatMap(({ type = "" }, i) => {
    const path = fieldPath("status", "conditions").index(i).child("type");
    return [
      ...(second.has(i) ? [fieldDuplicate(path, type)] : []),
      ...(type === "" ? [fieldRequired(path)] : []),
    ];
  });
}

const printer = printerOf(
  FlowSchema,
  [
    nameColumn,
    column("PriorityLevel", "The level that its requests get."),
    column("MatchingPrecedence", "Which of several is taken: the lowest."),
    column("DistinguisherMethod", "What makes one flow of requests."),
    ageColumn,
    column("MissingPL", "Whether its level is missing."),
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.priorityLevelConfiguration?.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? "<none>",
    age(metadata?.creationTimestamp, now),
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  ],
);
