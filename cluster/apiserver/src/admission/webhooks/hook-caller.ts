import { forbidden, messageOf, StatusError, timeout, type Clock, type Random } from "@kedge/machinery";
import type { Authorizer } from "../../auth/types.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { WebhookClient } from "../../webhook-client/webhook-client.ts";
import { authorizationCheck } from "../matching/authorization-check.ts";
import { conditionsHold } from "../matching/conditions.ts";
import { askedAs, namespaceOf, type Asked } from "../matching/rules.ts";
import { selects } from "../matching/selectors.ts";
import type { Versions } from "../matching/versions.ts";
import type { AdmissionContext, AdmissionRequest } from "../types.ts";
import { HookFailure, noDryRun, rejection } from "./hook-errors.ts";
import { InvalidAnswer, readAnswer, reviewRequest, reviewText, type ReviewAnswer } from "./review.ts";
import type { Hook } from "./types.ts";

/** What webhooks are asked with. */
export interface HookCallerOptions {
  readonly client: WebhookClient;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
}

/** A webhook that is to be asked of a request. */
export interface Invocation {
  readonly hook: Hook;
  readonly asked: Asked;
}

/** Asks webhooks, mutating and validating ones alike. */
export class HookCaller {
  readonly #options: HookCallerOptions;

  constructor(options: HookCallerOptions) {
    this.#options = options;
  }

  /** How a webhook is to be asked of a request; undefined when it is not. Rejects with a `StatusError`. */
  invocation(
    hook: Hook,
    request: AdmissionRequest<StoredApiObject>,
    { objects }: AdmissionContext,
  ): Asked | undefined {
    const { equivalent, rules, selectors } = hook;
    const asked = askedAs(rules, request, { equivalent, registry: objects.registry });
    if (asked === undefined) return undefined;
    const chosen = selects(selectors, request, objects);
    if (chosen instanceof StatusError) throw chosen;
    return chosen ? asked : undefined;
  }

  /** Whether its conditions want it to be asked. Rejects with a 403 when they fail and it must not be left out. */
  async isWanted(
    { hook, asked }: Invocation,
    request: AdmissionRequest<StoredApiObject>,
    versions: Versions,
  ): Promise<boolean> {
    const conditions = hook.conditions();
    if (conditions.length === 0) return true;
    const { resource, subresource, name, user } = request;
    const { group, plural } = asked.resource;
    const { object, oldObject } = await versions.of(asked);
    const holds = conditionsHold(conditions, {
      object,
      oldObject,
      request: reviewRequest(request, asked),
      authorizer: {
        check: authorizationCheck(this.#options.authorizer, user),
        requestResource: { group, plural, subresource, namespace: namespaceOf(request), name },
      },
    });
    if (typeof holds === "boolean") return holds;
    if (hook.ignoresFailure) return false;
    throw forbidden(resource, name, holds.error);
  }

  /** Asks it. Rejects with a `HookFailure`, or with the `StatusError` of a refusal. */
  async ask(
    { hook, asked }: Invocation,
    {
      request,
      versions,
      mutating,
      context,
    }: {
      readonly request: AdmissionRequest<StoredApiObject>;
      readonly versions: Versions;
      readonly mutating: boolean;
      readonly context: AdmissionContext;
    },
  ): Promise<ReviewAnswer> {
    if (request.dryRun && !hook.allowsDryRun) throw noDryRun(hook.name);
    const { reviewVersion: version } = hook;
    if (version === undefined)
      throw new HookFailure(
        hook.name,
        "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
      );
    const uid = this.#options.random.uuid();
    const versioned = await versions.of(asked);
    const text = reviewText(version, { uid, request: reviewRequest(request, asked), versioned });
    const body = await this.#post(hook, text, context);
    const answer = readOrFail(hook, body, { version, uid, mutating });
    for (const [key, value] of Object.entries(answer.annotations))
      context.annotate?.(`${hook.name}/${key}`, value);
    for (const warning of answer.warnings) context.warn(warning);
    if (!answer.allowed) throw rejection(hook.name, answer.result);
    return answer;
  }

  async #post(hook: Hook, text: string, { deadline, signal }: AdmissionContext): Promise<Buffer> {
    const { client, clock } = this.#options;
    const left = deadline - clock.monotonic();
    if (left <= 0) throw timeout("request did not complete within requested timeout");
    try {
      return await client.post({
        endpoint: hook.endpoint,
        body: Buffer.from(text),
        patience: Math.min(hook.timeoutSeconds * 1000, left),
        signal,
      });
    } catch (error) {
      throw new HookFailure(hook.name, `failed to call webhook: ${messageOf(error)}`, error);
    }
  }
}

function readOrFail(hook: Hook, body: Buffer, expected: Parameters<typeof readAnswer>[1]): ReviewAnswer {
  try {
    return readAnswer(body, expected);
  } catch (error) {
    const what =
      error instanceof InvalidAnswer ? "received invalid webhook response" : "failed to call webhook";
    throw new HookFailure(hook.name, `${what}: ${messageOf(error)}`, error);
  }
}
