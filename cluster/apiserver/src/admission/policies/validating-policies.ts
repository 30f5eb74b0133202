import { StatusError } from "@kedge/machinery";
import type { Authorizer } from "../../auth/types.ts";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { pausesOn } from "../../request/pause.ts";
import { isOfAdmission } from "../matching/of-admission.ts";
import { namespaceOf, type Asked } from "../matching/rules.ts";
import { Versions } from "../matching/versions.ts";
import { refusal } from "../request.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "../types.ts";
import { evaluatePolicy, type Denial } from "./evaluate-policy.ts";
import { ConfigurationError, kindProblem, paramsOf } from "./params.ts";
import { PolicyIndex, type Bound } from "./policy-index.ts";
import { policyInput } from "./policy-input.ts";
import { matchRequest } from "./resource-match.ts";
import { validatingForms, type ValidatingBinding, type ValidatingPolicy } from "./validating-policy.ts";

type BoundPolicy = Bound<ValidatingPolicy, ValidatingBinding>;

/** The plug-in that asks policies whether a request may be. */
export class ValidatingPolicies implements AdmissionPlugin {
  readonly name = "ValidatingAdmissionPolicy";
  readonly operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;
  readonly index: PolicyIndex<ValidatingPolicy, ValidatingBinding>;
  readonly #authorizer: Authorizer;

  constructor(objects: ObjectReader, authorizer: Authorizer) {
    this.index = new PolicyIndex(objects, validatingForms);
    this.#authorizer = authorizer;
  }

  /** Without policies this costs nothing. */
  readonly validate = (
    request: AdmissionRequest<StoredApiObject>,
    context: AdmissionContext,
  ): Promise<void> | undefined => {
    const { bound } = this.index;
    if (bound.length === 0 || isOfAdmission(request)) return undefined;
    const matching = bound.flatMap((each) => {
      const asked = matchRequest(each.policy.match, request, context.objects);
      return asked === undefined ? [] : [{ ...each, asked }];
    });
    return matching.length === 0 ? undefined : this.#evaluate(matching, request, context);
  };

  async #evaluate(
    matching: readonly (BoundPolicy & { readonly asked: Asked })[],
    request: AdmissionRequest<StoredApiObject>,
    context: AdmissionContext,
  ): Promise<void> {
    const found = new Findings(request, context);
    const versions = new Versions(request);
    const pause = pausesOn(context.clock);
    for (const { policy, bindings, asked } of matching) {
      const problem = kindProblem(policy.paramKind, context.objects);
      if (problem !== undefined) {
        found.unusable(policy, problem);
        continue;
      }
      const annotations = new Map<string, Set<string>>();
      for (const binding of bindings) {
        for (const params of this.#paramsOf(policy, binding, { request, context, found })) {
          const versioned = await versions.of(asked);
          const { objects } = context;
          const authorizer = this.#authorizer;
          const input = policyInput(request, { asked, versioned, params, objects, authorizer });
          const findings = await evaluatePolicy(policy, input, pause);
          for (const denial of findings.denials) found.add(policy, binding, denial);
          for (const { key, value } of findings.annotations)
            annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
        }
      }
      for (const [key, values] of annotations)
        context.annotate?.(`${policy.name}/${key}`, [...values].join(", "));
    }
    found.throwFirst();
  }

  /** With what a policy is evaluated for a binding: not at all when the binding is about other requests. */
  #paramsOf(
    policy: ValidatingPolicy,
    binding: ValidatingBinding,
    {
      request,
      context,
      found,
    }: {
      readonly request: AdmissionRequest<StoredApiObject>;
      readonly context: AdmissionContext;
      readonly found: Findings;
    },
  ): readonly (StoredApiObject | undefined)[] {
    const { objects } = context;
    const { match, paramRef } = binding;
    if (match !== undefined && matchRequest(match, request, objects) === undefined) return [];
    try {
      return paramsOf(policy.paramKind, paramRef, { objects, namespace: namespaceOf(request) });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      found.misconfigured(policy, binding, error);
      return [];
    }
  }
}

/** What policies have against a request, and what their bindings want to be done about it. */
class Findings {
  readonly #request: AdmissionRequest<StoredApiObject>;
  readonly #context: AdmissionContext;
  readonly #denied: { readonly text: string; readonly reason: string }[] = [];

  constructor(request: AdmissionRequest<StoredApiObject>, context: AdmissionContext) {
    this.#request = request;
    this.#context = context;
  }

  add(policy: ValidatingPolicy, binding: ValidatingBinding, { message, reason, index }: Denial): void {
    const where = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
    if (binding.actions.includes("Deny")) this.#deny(`${where} denied request: ${message}`, reason);
    if (binding.actions.includes("Warn")) this.#context.warn(`Validation failed for ${where}: ${message}`);
    if (!binding.actions.includes("Audit")) return;
    const { name, actions: validationActions } = binding;
    const failure = {
      message,
      policy: policy.name,
      binding: name,
      expressionIndex: index,
      validationActions,
    };
    this.#context.annotate?.(
      "validation.policy.admission.k8s.io/validation_failure",
      JSON.stringify([failure]),
    );
  }

  /** The same of a policy that no binding could use. */
  unusable(policy: ValidatingPolicy, problem: string): void {
    if (policy.ignoresFailure) return;
    this.#deny(`ValidatingAdmissionPolicy '${policy.name}' denied request: ${problem}`, undefined);
  }

  /** What cannot be evaluated is refused, whatever the binding wants, unless the policy says otherwise. */
  misconfigured(policy: ValidatingPolicy, binding: ValidatingBinding, { message }: Error): void {
    if (policy.ignoresFailure) return;
    const where = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
    this.#deny(`${where} denied request: failed to configure binding: ${message}`, undefined);
  }

  #deny(text: string, reason = "Invalid"): void {
    this.#denied.push({ text, reason });
  }

  throwFirst(): void {
    const [first] = this.#denied;
    if (first === undefined) return;
    const { text, reason } = first;
    const { status } = refusal(this.#request, text);
    throw new StatusError({
      ...status,
      reason,
      code: codes[reason] ?? 422,
      details: { ...status.details, causes: [{ message: text }] },
    });
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };
