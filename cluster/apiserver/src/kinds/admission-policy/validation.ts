import {
  deepEqual,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import {
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
  type Variable,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { Composition, type Names } from "@kedge/validation";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { oneOf } from "../validation/field-rules.ts";
import { expressionErrors, validateMatchConditions } from "../validation/match-conditions.ts";
import { onlyMutable, validateMatchResources, validateParamKind } from "./match-resources.ts";
import { validateMutations } from "./mutations.ts";
import { validateAnnotations, validateValidations } from "./validations.ts";

/** What is wrong with a policy that refuses objects, an expression a step. */
export function* validateValidatingPolicy(
  object: StoredApiObject,
  previous?: StoredApiObject,
): Steps<readonly FieldError[]> {
  const { metadata, spec = {} } = decodedAs(ValidatingAdmissionPolicy, object);
  const before = previous && decodedAs(ValidatingAdmissionPolicy, previous).spec;
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  const path = fieldPath("spec");
  const errors = sharedErrors(spec, path);
  errors.push(...(yield* conditionErrors(spec, before, path)));
  const composition = new Composition();
  errors.push(...(yield* variableErrors(variables, composition, { spec, path })));
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    errors.push(
      fieldRequired(path.child("validations"), why),
      fieldRequired(path.child("auditAnnotations"), why),
    );
    return errors;
  }
  const names = namesOf(spec, variables.length > 0 ? composition : undefined);
  errors.push(...(yield* validateValidations(validations, names, path.child("validations"))));
  const annotated = { names, policy: metadata?.name ?? "" };
  errors.push(...(yield* validateAnnotations(auditAnnotations, annotated, path.child("auditAnnotations"))));
  return errors;
}

/** What is wrong with a policy that changes objects, an expression a step. */
export function* validateMutatingPolicy(
  object: StoredApiObject,
  previous?: StoredApiObject,
): Steps<readonly FieldError[]> {
  const { spec = {} } = decodedAs(MutatingAdmissionPolicy, object);
  const before = previous && decodedAs(MutatingAdmissionPolicy, previous).spec;
  const { mutations = [], variables = [], reinvocationPolicy } = spec;
  const path = fieldPath("spec");
  const errors = sharedErrors(spec, path);
  errors.push(...onlyMutable(spec.matchConstraints, path.child("matchConstraints")));
  errors.push(...(yield* conditionErrors(spec, before, path)));
  const composition = new Composition();
  errors.push(...(yield* variableErrors(variables, composition, { spec, path })));
  if (mutations.length === 0)
    errors.push(fieldRequired(path.child("mutations"), "mutations must contain at least one item"));
  else {
    const names = { ...namesOf(spec, composition), patches: true };
    errors.push(...(yield* validateMutations(mutations, names, path.child("mutations"))));
  }
  errors.push(...oneOf(reinvocationPolicy, ["IfNeeded", "Never"], path.child("reinvocationPolicy")));
  return errors;
}

type Shared = Pick<
  Decoded<ValidatingAdmissionPolicySpec>,
  "failurePolicy" | "paramKind" | "matchConstraints" | "matchConditions"
>;

function sharedErrors({ failurePolicy, paramKind, matchConstraints }: Shared, path: FieldPath): FieldError[] {
  const place = path.child("matchConstraints");
  return [
    ...oneOf(failurePolicy, ["Fail", "Ignore"], path.child("failurePolicy")),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, path.child("paramKind"))),
    ...(matchConstraints === undefined ? [fieldRequired(place)] : []),
    ...validateMatchResources(matchConstraints, place),
    ...(matchConstraints !== undefined && (matchConstraints.resourceRules ?? []).length === 0
      ? [fieldRequired(place.child("resourceRules"))]
      : []),
  ];
}

/** What was right stays so, as long as the conditions and what they may name are as they were. */
function* conditionErrors(
  { paramKind, matchConditions }: Shared,
  before: Shared | undefined,
  path: FieldPath,
): Steps<FieldError[]> {
  const same =
    before !== undefined &&
    deepEqual(before.paramKind, paramKind) &&
    deepEqual(before.matchConditions, matchConditions);
  if (same) return [];
  const params = paramKind !== undefined;
  return yield* validateMatchConditions(matchConditions, path.child("matchConditions"), { params });
}

function namesOf({ paramKind }: Shared, composition: Composition | undefined): Names {
  return { params: paramKind !== undefined, authorizer: true, variables: composition?.types };
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/u;
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function* variableErrors(
  variables: readonly Decoded<Variable>[],
  composition: Composition,
  { spec, path }: { readonly spec: Shared; readonly path: FieldPath },
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, { name = "", expression = "" }] of variables.entries()) {
    const place = path.child("variables").index(i);
    if (name.trim() === "") errors.push(fieldRequired(place.child("name"), "name is not specified"));
    else if (!identifier.test(name) || reserved.has(name))
      errors.push(fieldInvalid(place.child("name"), name, "must be a valid CEL identifier"));
    if (expression.trim() === "") {
      errors.push(fieldRequired(place.child("expression"), "expression is not specified"));
      continue;
    }
    yield;
    const compiled = composition.add(name, expression, namesOf(spec, undefined));
    errors.push(...expressionErrors(compiled, place.child("expression")));
  }
  return errors;
}
