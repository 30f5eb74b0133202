import { ValidatingWebhookConfiguration } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { isOfAdmission } from "../matching/of-admission.ts";
import { Versions } from "../matching/versions.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "../types.ts";
import { HookFailure } from "./hook-errors.ts";
import type { HookCaller, Invocation } from "./hook-caller.ts";
import { HookIndex } from "./hook-index.ts";

/** The plug-in that asks webhooks whether a request may be. */
export class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = "ValidatingAdmissionWebhook";
  readonly operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;
  readonly index: HookIndex;
  readonly #caller: HookCaller;

  constructor(objects: ObjectReader, caller: HookCaller) {
    this.index = new HookIndex(objects, ValidatingWebhookConfiguration);
    this.#caller = caller;
  }

  /** Without webhooks this costs nothing. */
  readonly validate = (
    request: AdmissionRequest<StoredApiObject>,
    context: AdmissionContext,
  ): Promise<void> | undefined => {
    const { hooks } = this.index;
    if (hooks.length === 0 || isOfAdmission(request)) return undefined;
    const invocations: Invocation[] = [];
    for (const hook of hooks) {
      const asked = this.#caller.invocation(hook, request, context);
      if (asked !== undefined) invocations.push({ hook, asked });
    }
    return invocations.length === 0 ? undefined : this.#dispatch(invocations, request, context);
  };

  /** All at once; the first error, in their order, is the answer. */
  async #dispatch(
    invocations: readonly Invocation[],
    request: AdmissionRequest<StoredApiObject>,
    context: AdmissionContext,
  ): Promise<void> {
    const versions = new Versions(request);
    const wanted: Invocation[] = [];
    for (const invocation of invocations)
      if (await this.#caller.isWanted(invocation, request, versions)) wanted.push(invocation);
    const asked = await Promise.allSettled(
      wanted.map((invocation) =>
        this.#caller.ask(invocation, { request, versions, mutating: false, context }),
      ),
    );
    for (const [i, result] of asked.entries()) {
      if (result.status === "fulfilled") continue;
      const reason: unknown = result.reason;
      if (!(reason instanceof HookFailure)) throw reason;
      const hook = wanted[i]?.hook;
      if (hook?.ignoresFailure !== true) throw reason.status;
      context.annotate?.(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${i}`, hook.name);
    }
  }
}
