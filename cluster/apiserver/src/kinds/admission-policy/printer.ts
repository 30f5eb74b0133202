import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type ParamKind,
  type ParamRef,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { LabelSelector } from "@kedge/machinery/kinds/meta/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

const paramKindColumn = column("ParamKind", "The kind of its parameters.");

/** `kubectl get validatingadmissionpolicies`. */
export const validatingPolicyPrinter = printerOf(
  ValidatingAdmissionPolicy,
  [
    nameColumn,
    column("Validations", "How many validations it has.", { type: "integer" }),
    paramKindColumn,
    ageColumn,
  ],
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.validations?.length ?? 0,
    paramKindCell(spec?.paramKind),
    age(metadata?.creationTimestamp, now),
  ],
);

/** `kubectl get mutatingadmissionpolicies`. */
export const mutatingPolicyPrinter = printerOf(
  MutatingAdmissionPolicy,
  [
    nameColumn,
    column("Mutations", "How many mutations it has.", { type: "integer" }),
    paramKindColumn,
    ageColumn,
  ],
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.mutations?.length ?? 0,
    paramKindCell(spec?.paramKind),
    age(metadata?.creationTimestamp, now),
  ],
);

const bindingColumns = [
  nameColumn,
  column("PolicyName", "The policy that is bound."),
  column("ParamRef", "Where its parameters are."),
  ageColumn,
];

/** `kubectl get validatingadmissionpolicybindings`. */
export const validatingBindingPrinter = printerOf(
  ValidatingAdmissionPolicyBinding,
  bindingColumns,
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.policyName ?? "",
    paramRefCell(spec?.paramRef),
    age(metadata?.creationTimestamp, now),
  ],
);

/** `kubectl get mutatingadmissionpolicybindings`. */
export const mutatingBindingPrinter = printerOf(
  MutatingAdmissionPolicyBinding,
  bindingColumns,
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.policyName ?? "",
    paramRefCell(spec?.paramRef),
    age(metadata?.creationTimestamp, now),
  ],
);

function paramKindCell(kind: Decoded<ParamKind> | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

function paramRefCell(ref: Decoded<ParamRef> | undefined): string {
  const { name = "", namespace = "", selector } = ref ?? {};
  if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`;
  return selector === undefined ? "<unset>" : goSelector(selector);
}

/** A selector as Go prints the type. */
function goSelector({ matchLabels, matchExpressions }: Decoded<LabelSelector>): string {
  const labels = Object.entries(matchLabels ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const requirements = (matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}
