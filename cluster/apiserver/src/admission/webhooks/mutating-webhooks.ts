import {
  applyJsonPatchInSteps,
  internalError,
  isJsonList,
  isJsonObject,
  messageOf,
  readJsonPatch,
  type JsonObject,
} from "@kedge/machinery";
import { MutatingWebhookConfiguration } from "@kedge/machinery/kinds/admissionregistration/v1";
import { goKindOf } from "../../decode/go-place.ts";
import type { BodyReaders } from "../../decode/parse-body.ts";
import { parseJson } from "../../decode/parse-json.ts";
import type { ObjectReader } from "../../registry/types.ts";
import { inSteps, pausesOn } from "../../request/pause.ts";
import { changeObject } from "../matching/change-object.ts";
import { isOfAdmission } from "../matching/of-admission.ts";
import { Versions } from "../matching/versions.ts";
import type { Invoked } from "../reinvocation.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "../types.ts";
import { HookFailure } from "./hook-errors.ts";
import type { HookCaller, Invocation } from "./hook-caller.ts";
import { HookIndex } from "./hook-index.ts";
import type { ReviewAnswer } from "./review.ts";
import type { Hook } from "./types.ts";

const maxCopyBytes = 3 * 1024 * 1024;
const maxOperations = 10_000;

/** The plug-in that lets webhooks change objects, one after the other. */
export class MutatingWebhooks implements AdmissionPlugin {
  readonly name = "MutatingAdmissionWebhook";
  readonly operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;
  readonly index: HookIndex;
  readonly #caller: HookCaller;
  readonly #readers: BodyReaders;

  constructor(objects: ObjectReader, caller: HookCaller, readers: BodyReaders) {
    this.index = new HookIndex(objects, MutatingWebhookConfiguration);
    this.#caller = caller;
    this.#readers = readers;
  }

  /** Without webhooks this costs nothing. */
  readonly admit = (request: AdmissionRequest, context: AdmissionContext): Promise<void> | undefined =>
    this.index.hooks.length === 0 || isOfAdmission(request) ? undefined : this.#dispatch(request, context);

  async #dispatch(request: AdmissionRequest, context: AdmissionContext): Promise<void> {
    const { reinvocation } = context;
    const memory = reinvocation.memoryOf(this.name);
    if (reinvocation.isSecond && memory.hasInvoked && memory.output !== JSON.stringify(request.object))
      memory.requireAgain();
    for (const [index, hook] of this.index.hooks.entries()) {
      const asked = this.#caller.invocation(hook, request, context);
      if (asked === undefined) continue;
      await this.#invoke({ hook, asked }, { request, context, memory, index });
    }
    if (memory.hasInvoked) memory.output = JSON.stringify(request.object);
  }

  async #invoke(invocation: Invocation, during: During): Promise<void> {
    const { hook } = invocation;
    const { request, context, memory, index } = during;
    const { reinvocation } = context;
    const versions = new Versions(request);
    if (!(await this.#caller.isWanted(invocation, request, versions))) return;
    // Whoever was not asked the first time is not asked the second time either.
    if (reinvocation.isSecond && !memory.isRequired(hook.id)) return;
    const place = `round_${reinvocation.isSecond ? 1 : 0}_index_${index}`;
    let changed = false;
    try {
      const answer = await this.#caller.ask(invocation, { request, versions, mutating: true, context });
      changed = await this.#apply(invocation, answer, { request, versions, context });
    } catch (error) {
      if (!(error instanceof HookFailure)) throw error;
      if (!hook.ignoresFailure) throw error.status;
      context.annotate?.(`failed-open.mutation.webhook.admission.k8s.io/${place}`, hook.name);
    } finally {
      annotate(context, place, { hook, changed });
    }
    if (changed) {
      memory.requireAgain();
      reinvocation.isWanted = true;
    }
    if (hook.reinvocable) memory.add(hook.id);
  }

  async #apply(
    { hook, asked }: Invocation,
    { patch, patchType }: ReviewAnswer,
    { request, versions, context }: Pick<During, "request" | "context"> & { readonly versions: Versions },
  ): Promise<boolean> {
    const steps = patch === undefined ? [] : patchOf(hook, patch);
    if (steps.length === 0) return false;
    if (patchType !== "JSONPatch")
      throw new HookFailure(hook.name, `unsupported patch type ${JSON.stringify(patchType)}`);
    const { object } = request;
    const versioned = await versions.of(asked);
    if (object === undefined || versioned.object === undefined)
      throw internalError(
        new Error(
          `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
        ),
      );
    const pause = pausesOn(context.clock);
    const changed = await patched(versioned.object, steps, pause);
    await pause();
    return await changeObject(request, object, { asked, changed, readers: this.#readers });
  }
}

interface During {
  readonly request: AdmissionRequest;
  readonly context: AdmissionContext;
  readonly memory: Invoked;
  /** Of the webhook, among all. */
  readonly index: number;
}

function patchOf({ name }: Hook, patch: string): ReturnType<typeof readJsonPatch> {
  try {
    const { value } = parseJson(patch);
    if (!isJsonList(value))
      throw new Error(`json: cannot unmarshal ${goKindOf(value)} into Go value of type jsonpatch.Patch`);
    const steps = readJsonPatch(value);
    if (steps.length <= maxOperations) return steps;
    throw new Error(
      `the allowed maximum operations in a JSON patch is ${maxOperations}, got ${steps.length}`,
    );
  } catch (error) {
    throw new HookFailure(name, `received undecodable patch in webhook response: ${messageOf(error)}`, error);
  }
}

async function patched(
  object: Readonly<JsonObject>,
  steps: ReturnType<typeof readJsonPatch>,
  pause: () => Promise<void>,
): Promise<JsonObject> {
  try {
    const made = await inSteps(applyJsonPatchInSteps(object, steps, { maxCopyBytes }), pause);
    if (isJsonObject(made)) return made;
    throw new Error("the patch makes no object of it");
  } catch (error) {
    throw internalError(error instanceof Error ? error : new Error(messageOf(error)));
  }
}

function annotate(
  { annotate: add }: AdmissionContext,
  place: string,
  { hook, changed }: { readonly hook: Hook; readonly changed: boolean },
): void {
  const { configuration, name: webhook } = hook;
  add?.(
    `mutation.webhook.admission.k8s.io/${place}`,
    JSON.stringify({ configuration, webhook, mutated: changed }),
  );
}
