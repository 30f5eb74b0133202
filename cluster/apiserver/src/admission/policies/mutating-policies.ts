import {
  applyJsonPatchInSteps,
  isJsonObject,
  JsonPatchError,
  messageOf,
  readJsonPatch,
  StatusError,
  type JsonObject,
} from "@kedge/machinery";
import { mergeConfiguration } from "@kedge/machinery/apply";
import { appliedObject, Evaluation, patchOperations, policyBudget } from "@kedge/validation";
import type { Authorizer } from "../../auth/types.ts";
import type { BodyReaders } from "../../decode/parse-body.ts";
import type { ApiObject, ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { inSteps, pausesOn, type Pause } from "../../request/pause.ts";
import { changeObject } from "../matching/change-object.ts";
import { conditionsHold } from "../matching/conditions.ts";
import { isOfAdmission } from "../matching/of-admission.ts";
import { namespaceOf, type Asked } from "../matching/rules.ts";
import { Versions, type Versioned } from "../matching/versions.ts";
import type { Invoked } from "../reinvocation.ts";
import { refusal } from "../request.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "../types.ts";
import {
  mutatingForms,
  type MutatingBinding,
  type MutatingPolicy,
  type MutatingProgram,
} from "./mutating-policy.ts";
import { ConfigurationError, kindProblem, paramsOf } from "./params.ts";
import { PolicyIndex, type Bound } from "./policy-index.ts";
import { policyInput } from "./policy-input.ts";
import { matchRequest } from "./resource-match.ts";

const maxCopyBytes = 3 * 1024 * 1024;

/** The plug-in that lets policies change objects, one after the other. */
export class MutatingPolicies implements AdmissionPlugin {
  readonly name = "MutatingAdmissionPolicy";
  readonly operations = ["CREATE", "UPDATE", "CONNECT"] as const;
  readonly index: PolicyIndex<MutatingPolicy, MutatingBinding>;
  readonly #authorizer: Authorizer;
  readonly #readers: BodyReaders;

  constructor(objects: ObjectReader, authorizer: Authorizer, readers: BodyReaders) {
    this.index = new PolicyIndex(objects, mutatingForms);
    this.#authorizer = authorizer;
    this.#readers = readers;
  }

  /** Without policies this costs nothing. */
  readonly admit = (request: AdmissionRequest, context: AdmissionContext): Promise<void> | undefined => {
    const { bound } = this.index;
    if (bound.length === 0 || isOfAdmission(request)) return undefined;
    const matching = bound.flatMap((each) => {
      const asked = matchRequest(each.policy.match, request, context.objects);
      return asked === undefined ? [] : [{ ...each, asked }];
    });
    return matching.length === 0 ? undefined : this.#invokeAll(matching, request, context);
  };

  async #invokeAll(
    matching: readonly (Bound<MutatingPolicy, MutatingBinding> & { readonly asked: Asked })[],
    request: AdmissionRequest,
    context: AdmissionContext,
  ): Promise<void> {
    const memory = context.reinvocation.memoryOf(this.name);
    const denials: string[] = [];
    const { isSecond } = context.reinvocation;
    if (isSecond && memory.hasInvoked && memory.output !== JSON.stringify(request.object))
      memory.requireAgain();
    const pause = pausesOn(context.clock);
    const during = { request, context, memory, pause, denials };
    for (const { policy, bindings, asked } of matching) {
      const problem = kindProblem(policy.paramKind, context.objects);
      if (problem !== undefined) {
        if (!policy.ignoresFailure) denials.push(`policy "${policy.name}" denied request: ${problem}`);
        continue;
      }
      for (const binding of bindings) {
        for (const params of invokedWith(policy, binding, during))
          await this.#invoke({ policy, binding, asked, params }, during);
      }
    }
    if (memory.hasInvoked) memory.output = JSON.stringify(request.object);
    throwAll(request, denials);
  }

  async #invoke(invocation: Invocation, during: During): Promise<void> {
    const { policy, binding, asked, params } = invocation;
    const { request, context, memory, pause, denials } = during;
    const { object } = request;
    const { objects, reinvocation } = context;
    const deny = (why: string): void => {
      if (!policy.ignoresFailure) denials.push(deniedBy(policy, binding, why));
    };
    const inputOf = (versioned: Versioned): ReturnType<typeof policyInput> =>
      policyInput(request, { asked, versioned, params, objects, authorizer: this.#authorizer });
    const { conditions, mutations, composition } = policy.program();
    const holds = conditionsHold(conditions, inputOf(await new Versions(request).of(asked)));
    if (holds === false) return;
    if (holds !== true) return deny(holds.error);
    const key = `${policy.name}/${binding.name}/${params?.metadata.namespace ?? ""}/${params?.metadata.name ?? ""}`;
    if (reinvocation.isSecond && !memory.isRequired(key)) return;
    for (const mutation of object === undefined ? [] : mutations) {
      await pause();
      // Each sees what the one before it made of the object.
      const versioned = await new Versions(request).of(asked);
      try {
        const evaluation = new Evaluation(inputOf(versioned), policyBudget, composition);
        const changed = await mutated(mutation, evaluation, { versioned, asked, pause });
        if (object === undefined || changed === undefined) continue;
        if (await this.#take(request, object, { asked, changed })) {
          memory.requireAgain();
          reinvocation.isWanted = true;
        }
      } catch (error) {
        if (error instanceof StatusError) throw error;
        deny(messageOf(error));
      }
    }
    if (policy.reinvocable) memory.add(key);
  }

  async #take(
    request: AdmissionRequest,
    object: ApiObject,
    { asked, changed }: { readonly asked: Asked; readonly changed: JsonObject },
  ): Promise<boolean> {
    return await changeObject(request, object, { asked, changed, readers: this.#readers });
  }
}

interface Invocation {
  readonly policy: MutatingPolicy;
  readonly binding: MutatingBinding;
  readonly asked: Asked;
  readonly params: StoredApiObject | undefined;
}

interface During {
  readonly request: AdmissionRequest;
  readonly context: AdmissionContext;
  readonly memory: Invoked;
  readonly pause: Pause;
  readonly denials: string[];
}

/** With what a policy is evaluated for a binding: not at all when the binding is about other requests. */
function invokedWith(
  policy: MutatingPolicy,
  binding: MutatingBinding,
  { request, context: { objects }, denials }: During,
): readonly (StoredApiObject | undefined)[] {
  const { match, paramRef } = binding;
  if (match !== undefined && matchRequest(match, request, objects) === undefined) return [];
  try {
    return paramsOf(policy.paramKind, paramRef, { objects, namespace: namespaceOf(request) });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    if (!policy.ignoresFailure)
      denials.push(deniedBy(policy, binding, `failed to configure binding: ${error.message}`));
    return [];
  }
}

/** What a mutation makes of an object; undefined when it leaves it. Throws what is wrong with it. */
async function mutated(
  { type, expression }: MutatingProgram["mutations"][number],
  evaluation: Evaluation,
  {
    versioned: { object },
    asked,
    pause,
  }: { readonly versioned: Versioned; readonly asked: Asked; readonly pause: Pause },
): Promise<JsonObject | undefined> {
  const result = evaluation.run(expression);
  if ("error" in result) throw new Error(result.error);
  if (type === "patch") return await patched(object, patchOperations(result.value), pause);
  const { apiVersion, kind } = object ?? {};
  const applied = { ...appliedObject(result.value), apiVersion, kind };
  try {
    return objectOf(await inSteps(mergeConfiguration(asked.resource.schema, object, applied), pause));
  } catch (error) {
    throw new Error(`error applying patch: ${messageOf(error)}`, { cause: error });
  }
}

async function patched(
  object: StoredApiObject | undefined,
  operations: readonly JsonObject[],
  pause: Pause,
): Promise<JsonObject | undefined> {
  try {
    const steps = applyJsonPatchInSteps(object, readJsonPatch(operations), { maxCopyBytes });
    return objectOf(await inSteps(steps, pause));
  } catch (error) {
    // A test that does not hold is how a patch says that it is not for this object.
    if (error instanceof JsonPatchError && error.reason === "TestFailed") return undefined;
    throw new Error(`JSON Patch: ${messageOf(error)}`, { cause: error });
  }
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("the mutation makes no object of it");
}

function deniedBy({ name }: MutatingPolicy, binding: MutatingBinding, why: string): string {
  return `policy '${name}' with binding '${binding.name}' denied request: ${why}`;
}

function throwAll(request: AdmissionRequest, denials: readonly string[]): void {
  const [first] = denials;
  if (first === undefined) return;
  const { status } = refusal(request, "");
  const causes = denials.map((message) => ({ message }));
  const reason = first.includes("failed to configure") ? status.reason : "Invalid";
  throw new StatusError({ ...status, reason, message: first, details: { ...status.details, causes } });
}
