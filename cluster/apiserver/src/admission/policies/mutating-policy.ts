import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  type ParamKind,
  type ParamRef,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { compileAdmission, type AdmissionExpression, type Composition } from "@kedge/validation";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { PolicyForms } from "./policy-index.ts";
import { resourceMatchOf, type ResourceMatch } from "./resource-match.ts";
import { compose } from "./validating-policy.ts";

/** A policy that changes objects, in the form in which requests ask for it. */
export interface MutatingPolicy {
  readonly name: string;
  readonly match: ResourceMatch;
  readonly paramKind: Decoded<ParamKind> | undefined;
  readonly ignoresFailure: boolean;
  readonly reinvocable: boolean;
  /** Compiled when a request first comes that far. */
  readonly program: () => MutatingProgram;
}

/** Its expressions. */
export interface MutatingProgram {
  readonly conditions: readonly AdmissionExpression[];
  readonly composition: Composition;
  readonly mutations: readonly {
    readonly type: "patch" | "object";
    readonly expression: AdmissionExpression;
  }[];
}

/** A binding of it. */
export interface MutatingBinding {
  readonly name: string;
  readonly policyName: string;
  readonly match: ResourceMatch | undefined;
  readonly paramRef: Decoded<ParamRef> | undefined;
}

/** How policies and bindings are read. */
export const mutatingForms: PolicyForms<MutatingPolicy, MutatingBinding> = {
  policyKind: MutatingAdmissionPolicy,
  bindingKind: MutatingAdmissionPolicyBinding,
  policyOf,
  bindingOf,
};

function policyOf(object: StoredApiObject): MutatingPolicy {
  const { spec = {} } = decodedAs(MutatingAdmissionPolicy, object);
  let program: MutatingProgram | undefined;
  return {
    name: object.metadata.name ?? "",
    match: resourceMatchOf(spec.matchConstraints ?? {}),
    paramKind: spec.paramKind,
    ignoresFailure: spec.failurePolicy === "Ignore",
    reinvocable: spec.reinvocationPolicy === "IfNeeded",
    program: () => (program ??= compiled(object)),
  };
}

function compiled(object: StoredApiObject): MutatingProgram {
  const { spec = {} } = decodedAs(MutatingAdmissionPolicy, object);
  const { paramKind, variables = [], mutations = [], matchConditions = [] } = spec;
  const own = { params: paramKind !== undefined, authorizer: true };
  const composition = compose(variables, own);
  const names = { ...own, variables: composition.types, patches: true };
  return {
    conditions: matchConditions.map(({ expression = "" }) => compileAdmission(expression, "bool", own)),
    composition,
    mutations: mutations.map(({ patchType, jsonPatch, applyConfiguration }) => {
      const type = patchType === "JSONPatch" ? "patch" : "object";
      const source = (type === "patch" ? jsonPatch : applyConfiguration)?.expression ?? "";
      return { type, expression: compileAdmission(source, type, names) };
    }),
  };
}

function bindingOf(object: StoredApiObject): MutatingBinding {
  const {
    policyName = "",
    matchResources,
    paramRef,
  } = decodedAs(MutatingAdmissionPolicyBinding, object).spec ?? {};
  return {
    name: object.metadata.name ?? "",
    policyName,
    match: matchResources === undefined ? undefined : resourceMatchOf(matchResources),
    paramRef,
  };
}
