import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelSelector,
  validateLabelValue,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "@kedge/machinery/kinds/core/v1";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with the nodes and neighbours that a pod wants. */
export function validateAffinity(affinity: Decoded<Affinity> | undefined, path: FieldPath): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const nodePath = path.child("nodeAffinity");
  const { [required]: nodes, [preferred]: preferredNodes = [] } = nodeAffinity ?? {};
  return [
    ...(nodes === undefined ? [] : validateNodeSelector(nodes, nodePath.child(required))),
    ...preferredNodes.flatMap(({ weight = 0, preference = {} }, i) => [
      ...weightErrors(weight, nodePath.child(preferred).index(i).child("weight")),
      ...termErrors(preference, false, nodePath.child(preferred).index(i).child("preference")),
    ]),
    ...podAffinityErrors(podAffinity ?? {}, path.child("podAffinity")),
    ...podAffinityErrors(podAntiAffinity ?? {}, path.child("podAntiAffinity")),
  ];
}

/** What is wrong with a selector of nodes. */
export function validateNodeSelector(selector: Decoded<NodeSelector>, path: FieldPath): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = path.child("nodeSelectorTerms");
  if (terms.length === 0) return [fieldRequired(termsPath, "must have at least one node selector term")];
  return terms.flatMap((term, i) => termErrors(term, true, termsPath.index(i)));
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function weightErrors(weight: number, path: FieldPath): FieldError[] {
  return weight > 0 && weight <= 100 ? [] : [fieldInvalid(path, weight, "must be in the range 1-100")];
}

function termErrors(
  { matchExpressions = [], matchFields = [] }: Decoded<NodeSelectorTerm>,
  checksValues: boolean,
  path: FieldPath,
): FieldError[] {
  return [
    ...expressionErrors(matchExpressions, checksValues, path),
    ...matchFields.flatMap((field, i) => fieldErrors(field, path.child("matchFields").index(i))),
  ];
}

/** Nodes have one field that can be asked for: their name. */
function fieldErrors(
  { key = "", operator = "", values = [] }: Decoded<NodeSelectorRequirement>,
  path: FieldPath,
): FieldError[] {
  const isKnown = operator === "In" || operator === "NotIn";
  const onlyOne = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isKnown ? [] : [fieldInvalid(path.child("operator"), operator, "not a valid selector operator")]),
    ...(isKnown && values.length !== 1 ? [fieldRequired(path.child("values"), onlyOne)] : []),
    ...(key === "metadata.name"
      ? values.flatMap((value, i) => named(value, validateDns1123Subdomain, path.child("values").index(i)))
      : [fieldInvalid(path.child("key"), key, "not a valid field selector key")]),
  ];
}

function expressionErrors(
  matchExpressions: readonly Decoded<NodeSelectorRequirement>[],
  checksValues: boolean,
  path: FieldPath,
): FieldError[] {
  return matchExpressions.flatMap((expression, i) => {
    const item = path.child("matchExpressions").index(i);
    const { key = "", values = [] } = expression;
    return [
      ...operatorErrors(expression, item),
      ...named(key, validateQualifiedName, item.child("key")),
      ...(checksValues
        ? values.flatMap((value, j) => named(value, validateLabelValue, item.child("values").index(j)))
        : []),
    ];
  });
}

function operatorErrors(
  { operator = "", values = [] }: Decoded<NodeSelectorRequirement>,
  path: FieldPath,
): FieldError[] {
  const at = path.child("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [fieldRequired(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [fieldForbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (values.length === 1) return [];
      return [fieldRequired(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [fieldInvalid(path.child("operator"), operator, "not a valid selector operator")];
  }
}

function podAffinityErrors(affinity: Decoded<PodAffinity>, path: FieldPath): FieldError[] {
  return [
    ...(affinity[required] ?? []).flatMap((term, i) => podTermErrors(term, path.child(required).index(i))),
    ...(affinity[preferred] ?? []).flatMap(({ weight = 0, podAffinityTerm = {} }, i) => [
      ...weightErrors(weight, path.child(preferred).index(i).child("weight")),
      ...podTermErrors(podAffinityTerm, path.child(preferred).index(i).child("podAffinityTerm")),
    ]),
  ];
}

function podTermErrors(term: Decoded<PodAffinityTerm>, path: FieldPath): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = "" } = term;
  const key = path.child("topologyKey");
  return [
    ...validateLabelSelector(labelSelectorOf(labelSelector), path.child("labelSelector")),
    ...validateLabelSelector(labelSelectorOf(namespaceSelector), path.child("namespaceSelector")),
    ...namespaces.flatMap((name) => named(name, validateDns1123Label, path.child("namespace"))),
    ...(topologyKey === "" ? [fieldRequired(key, "can not be empty")] : []),
    ...named(topologyKey, validateQualifiedName, key),
  ];
}
