import { fieldForbidden, fieldInvalid, fieldRequired, type FieldError } from "../errors/field-error.ts";
import type { FieldPath } from "../errors/field-path.ts";
import { goQuote } from "../go/go-quote.ts";
import { validateLabelValue, validateQualifiedName } from "../objects/names.ts";
import {
  everything,
  newRequirement,
  nothing,
  selectorOf,
  type Labels,
  type Selector,
  type SelectorOperator,
} from "./selector.ts";

/** One condition of a `LabelSelector`. */
export interface LabelSelectorRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; others are refused. */
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** The selector that objects such as deployments hold in their spec. */
export interface LabelSelector {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | undefined;
}

/**
 * The selector that an API object's `LabelSelector` stands for. A missing one matches nothing, an empty one everything.
 * Throws with Kubernetes' texts.
 */
export function selectorFromLabelSelector(source: LabelSelector | undefined): Selector {
  if (source === undefined) return nothing();
  const { matchLabels = {}, matchExpressions = [] } = source;
  const { requirements } = selectorFromLabels(matchLabels);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) =>
    newRequirement(key, parsedOperator(operator), values),
  );
  return selectorOf([...requirements, ...expressions]);
}

/** The selector that asks for each of these labels. No labels select everything. */
export function selectorFromLabels(labels: Labels): Selector {
  const entries = Object.entries(labels);
  if (entries.length === 0) return everything();
  return selectorOf(entries.map(([key, value]) => newRequirement(key, "=", [value])));
}

/** All that is wrong with a `LabelSelector` in the field at `path`, as Kubernetes' validation says it. */
export function validateLabelSelector(source: LabelSelector | undefined, path: FieldPath): FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = source ?? {};
  const labelsPath = path.child("matchLabels");
  const expressionsPath = path.child("matchExpressions");
  const labelErrors = Object.entries(matchLabels).flatMap(([key, value]) =>
    keyErrors(key, labelsPath).concat(valueErrors(value, labelsPath)),
  );
  return labelErrors.concat(
    matchExpressions.flatMap((expression, i) => expressionErrors(expression, expressionsPath.index(i))),
  );
}

const operators: ReadonlyMap<string, SelectorOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function parsedOperator(operator: string): SelectorOperator {
  const parsed = operators.get(operator);
  if (parsed !== undefined) return parsed;
  throw new TypeError(`${goQuote(operator)} is not a valid label selector operator`);
}

function expressionErrors(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  return [
    ...operatorErrors(operator, values, path),
    ...keyErrors(key, path.child("key")),
    ...values.flatMap((value, i) => valueErrors(value, path.child("values").index(i))),
  ];
}

function keyErrors(key: string, path: FieldPath): FieldError[] {
  return validateQualifiedName(key).map((fault) => fieldInvalid(path, key, fault));
}

function valueErrors(value: string, path: FieldPath): FieldError[] {
  return validateLabelValue(value).map((fault) => fieldInvalid(path, value, fault));
}

function operatorErrors(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  const valuesPath = path.child("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [fieldRequired(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        fieldForbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      return [fieldInvalid(path.child("operator"), operator, "not a valid selector operator")];
  }
}
