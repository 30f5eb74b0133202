import {
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import {
  PriorityLevelConfiguration,
  type ExemptPriorityLevelConfiguration,
  type LimitedPriorityLevelConfiguration,
  type PriorityLevelConfigurationSpec,
  type QueuingConfiguration,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { statusPart } from "../status.ts";
import { mandatoryPriorityLevels } from "./bootstrap-flows.ts";
import { validateConditionTypes } from "./flow-schema.ts";

/** PriorityLevelConfigurations: how much of the server requests of a level get, and what becomes of the others. */
export function priorityLevelDefinition(): KindDefinition {
  return {
    kind: PriorityLevelConfiguration,
    printer,
    strategy: { validate },
    subresources: { status: statusPart({ validateUpdate: validateConditionTypes }) },
  };
}

function validate(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(PriorityLevelConfiguration, object);
  const { name = "" } = object.metadata;
  return [
    ...specErrors(spec, name, fieldPath("spec")),
    ...fixedErrors(spec, name),
    ...validateConditionTypes(object),
  ];
}

function fixedErrors(spec: Decoded<PriorityLevelConfigurationSpec>, name: string): FieldError[] {
  const fixed = mandatoryPriorityLevels.get(name);
  if (fixed === undefined) return [];
  const isExempt = name === "exempt";
  const [have, want] = isExempt
    ? [
        { ...spec, exempt: 0 },
        { ...fixed, exempt: 0 },
      ]
    : [spec, fixed];
  if (deepEqual(have, want)) return [];
  const what = isExempt ? `spec of '${name}' except the 'spec.exempt' field` : `spec of '${name}'`;
  return [fieldInvalid("spec", spec, `${what} must equal the fixed value`)];
}

function specErrors(
  { type = "", limited, exempt }: Decoded<PriorityLevelConfigurationSpec>,
  name: string,
  path: FieldPath,
): FieldError[] {
  const misnamed =
    (name === "exempt") === (type === "Exempt")
      ? []
      : [fieldInvalid(path.child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'")];
  if (type === "Exempt") {
    return [
      ...misnamed,
      ...(limited === undefined
        ? []
        : [fieldForbidden(path.child("limited"), "must be nil if the type is not Limited")]),
      ...(exempt === undefined ? [] : shareErrors(exempt, path.child("exempt"), [], exempt.lendablePercent)),
    ];
  }
  if (type === "Limited") {
    return [
      ...misnamed,
      ...(exempt === undefined
        ? []
        : [fieldForbidden(path.child("exempt"), "must be nil if the type is Limited")]),
      ...(limited === undefined
        ? [fieldRequired(path.child("limited"), "must not be empty when type is Limited")]
        : limitedErrors(limited, path.child("limited"))),
    ];
  }
  const wrong =
    type === ""
      ? fieldRequired(path.child("type"))
      : fieldNotSupported(path.child("type"), type, ["Exempt", "Limited"]);
  return [...misnamed, wrong];
}

function shareErrors(
  { nominalConcurrencyShares: shares = 0 }: Decoded<ExemptPriorityLevelConfiguration>,
  path: FieldPath,
  more: readonly FieldError[] = [],
  lendablePercent = 0,
): FieldError[] {
  return [
    ...(shares < 0
      ? [fieldInvalid(path.child("nominalConcurrencyShares"), shares, "must be a non-negative integer")]
      : []),
    ...more,
    ...(lendablePercent < 0 || lendablePercent > 100
      ? [fieldInvalid(path.child("lendablePercent"), lendablePercent, "must be between 0 and 100, inclusive")]
      : []),
  ];
}

function limitedErrors(limited: Decoded<LimitedPriorityLevelConfiguration>, path: FieldPath): FieldError[] {
  const { borrowingLimitPercent: borrowing, limitResponse } = limited;
  return [
    ...shareErrors(
      limited,
      path,
      responseErrors(limitResponse, path.child("limitResponse")),
      limited.lendablePercent,
    ),
    ...(borrowing !== undefined && borrowing < 0
      ? [
          fieldInvalid(
            path.child("borrowingLimitPercent"),
            borrowing,
            "if specified, must be a non-negative integer",
          ),
        ]
      : []),
  ];
}

function responseErrors(
  response: Decoded<LimitedPriorityLevelConfiguration>["limitResponse"],
  path: FieldPath,
): FieldError[] {
  const { type = "", queuing } = response ?? {};
  const at = path.child("queuing");
  if (type === "Reject")
    return queuing === undefined
      ? []
      : [fieldForbidden(at, "must be nil if limited.limitResponse.type is not Limited")];
  if (type === "Queue")
    return queuing === undefined
      ? [fieldRequired(at, "must not be empty if limited.limitResponse.type is Limited")]
      : queuingErrors(queuing, at);
  return [
    type === ""
      ? fieldRequired(path.child("type"))
      : fieldNotSupported(path.child("type"), type, ["Queue", "Reject"]),
  ];
}

const mostQueues = 10_000_000;
/** Of the hash that deals a flow its queues. */
const mostBits = 60;

function queuingErrors(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: Decoded<QueuingConfiguration>,
  path: FieldPath,
): FieldError[] {
  const bits = Math.ceil(Math.log2(queues) * handSize);
  const hand = path.child("handSize");
  return [
    ...(queueLengthLimit <= 0
      ? [fieldInvalid(path.child("queueLengthLimit"), queueLengthLimit, "must be positive")]
      : []),
    ...(queues <= 0 ? [fieldInvalid(path.child("queues"), queues, "must be positive")] : []),
    ...(queues > mostQueues
      ? [fieldInvalid(path.child("queues"), queues, `must not be greater than ${mostQueues}`)]
      : []),
    ...(handSize <= 0
      ? [fieldInvalid(hand, handSize, "must be positive")]
      : handSize > queues
        ? [fieldInvalid(hand, handSize, `should not be greater than queues (${queues})`)]
        : bits > mostBits
          ? [
              fieldInvalid(
                hand,
                handSize,
                `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostBits}`,
              ),
            ]
          : []),
  ];
}

const printer = printerOf(
  PriorityLevelConfiguration,
  [
    nameColumn,
    column("Type", "Whether its requests are limited."),
    column("NominalConcurrencyShares", "Its share of what the server does at once."),
    column("Queues", "How many queues it has."),
    column("HandSize", "How many of them one flow may use."),
    column("QueueLengthLimit", "How many requests wait in one."),
    ageColumn,
  ],
  ({ metadata, spec }, now) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    return [
      metadata?.name,
      spec?.type ?? "",
      spec?.limited === undefined ? "<none>" : (spec.limited.nominalConcurrencyShares ?? 0),
      queuing?.queues ?? "<none>",
      queuing?.handSize ?? "<none>",
      queuing?.queueLengthLimit ?? "<none>",
      age(metadata?.creationTimestamp, now),
    ];
  },
);
