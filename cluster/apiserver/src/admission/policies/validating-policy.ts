import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type ParamKind,
  type ParamRef,
  type Validation,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { compileAdmission, Composition, type AdmissionExpression, type Names } from "@kedge/validation";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { PolicyForms } from "./policy-index.ts";
import { resourceMatchOf, type ResourceMatch } from "./resource-match.ts";

/** A policy that refuses, in the form in which requests ask for it. */
export interface ValidatingPolicy {
  readonly name: string;
  readonly match: ResourceMatch;
  readonly paramKind: Decoded<ParamKind> | undefined;
  readonly ignoresFailure: boolean;
  /** Compiled when a request first comes that far. */
  readonly program: () => ValidatingProgram;
}

/** Its expressions. */
export interface ValidatingProgram {
  readonly conditions: readonly AdmissionExpression[];
  readonly composition: Composition | undefined;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly value: AdmissionExpression }[];
}

/** One of its validations. */
export interface CompiledValidation {
  readonly source: Decoded<Validation>;
  readonly expression: AdmissionExpression;
  readonly message: AdmissionExpression | undefined;
}

/** A binding of it. */
export interface ValidatingBinding {
  readonly name: string;
  readonly policyName: string;
  readonly match: ResourceMatch | undefined;
  readonly paramRef: Decoded<ParamRef> | undefined;
  readonly actions: readonly string[];
}

/** How policies and bindings are read. */
export const validatingForms: PolicyForms<ValidatingPolicy, ValidatingBinding> = {
  policyKind: ValidatingAdmissionPolicy,
  bindingKind: ValidatingAdmissionPolicyBinding,
  policyOf,
  bindingOf,
};

function policyOf(object: StoredApiObject): ValidatingPolicy {
  const { spec = {} } = decodedAs(ValidatingAdmissionPolicy, object);
  let program: ValidatingProgram | undefined;
  return {
    name: object.metadata.name ?? "",
    match: resourceMatchOf(spec.matchConstraints ?? {}),
    paramKind: spec.paramKind,
    ignoresFailure: spec.failurePolicy === "Ignore",
    program: () => (program ??= compiled(object)),
  };
}

function compiled(object: StoredApiObject): ValidatingProgram {
  const { spec = {} } = decodedAs(ValidatingAdmissionPolicy, object);
  const { paramKind, variables = [], validations = [], auditAnnotations = [], matchConditions = [] } = spec;
  const own = { params: paramKind !== undefined, authorizer: true };
  const composition = variables.length === 0 ? undefined : compose(variables, own);
  const names: Names = { ...own, variables: composition?.types };
  return {
    conditions: matchConditions.map(({ expression = "" }) => compileAdmission(expression, "bool", own)),
    composition,
    validations: validations.map((source) => ({
      source,
      expression: compileAdmission(source.expression ?? "", "bool", names),
      message:
        (source.messageExpression ?? "") === ""
          ? undefined
          : compileAdmission(source.messageExpression ?? "", "string", { ...names, authorizer: false }),
    })),
    annotations: auditAnnotations.map(({ key = "", valueExpression = "" }) => ({
      key,
      value: compileAdmission(valueExpression, "string or null", names),
    })),
  };
}

/** The variables of a policy, in their order. */
export function compose(
  variables: readonly { readonly name?: string | undefined; readonly expression?: string | undefined }[],
  names: Omit<Names, "variables">,
): Composition {
  const composition = new Composition();
  for (const { name = "", expression = "" } of variables) composition.add(name, expression, names);
  return composition;
}

function bindingOf(object: StoredApiObject): ValidatingBinding {
  const { spec = {} } = decodedAs(ValidatingAdmissionPolicyBinding, object);
  const { policyName = "", matchResources, paramRef, validationActions = [] } = spec;
  return {
    name: object.metadata.name ?? "",
    policyName,
    match: matchResources === undefined ? undefined : resourceMatchOf(matchResources),
    paramRef,
    actions: validationActions,
  };
}
