import type { Kind } from "@kedge/machinery";
import {
  MutatingWebhookConfiguration,
  type MutatingWebhook,
  type ValidatingWebhookConfiguration,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { compileAdmission, type AdmissionExpression } from "@kedge/validation";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { selectorsOf } from "../matching/selectors.ts";
import { endpointOf } from "../../webhook-client/endpoint.ts";
import type { Hook } from "./types.ts";

/** All webhooks of a kind of configuration, in the order in which they are asked. It is as new as every answered write. */
export class HookIndex {
  readonly #objects: ObjectReader;
  readonly #kind: Kind<MutatingWebhookConfiguration> | Kind<ValidatingWebhookConfiguration>;
  readonly #byName = new Map<string, readonly Hook[]>();
  #hooks: readonly Hook[] = [];
  #stop: (() => void) | undefined;

  constructor(
    objects: ObjectReader,
    kind: Kind<MutatingWebhookConfiguration> | Kind<ValidatingWebhookConfiguration>,
  ) {
    this.#objects = objects;
    this.#kind = kind;
  }

  /** By the names of the configurations, and in the order in which each has them. */
  get hooks(): readonly Hook[] {
    return this.#hooks;
  }

  /** Begins to follow the configurations. Until then there are no webhooks. */
  start(): void {
    const { group, kind, version } = this.#kind;
    const resource = this.#objects.registry.byKind(group, kind, version);
    if (resource === undefined || this.#stop !== undefined) return;
    for (const object of this.#objects.list(resource)) this.#set(object, true);
    this.#sort();
    this.#stop = this.#objects.onChange(resource, ({ type, object }) => {
      this.#set(object, type === "stored");
      this.#sort();
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #set(object: StoredApiObject, isThere: boolean): void {
    const name = object.metadata.name ?? "";
    if (isThere) this.#byName.set(name, hooksOf(name, object));
    else this.#byName.delete(name);
  }

  #sort(): void {
    const names = [...this.#byName.keys()].toSorted();
    this.#hooks = names.flatMap((name) => this.#byName.get(name) ?? []);
  }
}

/** Validating webhooks have all that mutating ones have, but for `reinvocationPolicy`. */
function hooksOf(configuration: string, object: StoredApiObject): readonly Hook[] {
  const { webhooks = [] } = decodedAs(MutatingWebhookConfiguration, object);
  return webhooks.map((webhook, index) => hookOf(configuration, webhook, index));
}

function hookOf(configuration: string, webhook: Decoded<MutatingWebhook>, index: number): Hook {
  const { name = "", sideEffects = "", admissionReviewVersions: versions = [] } = webhook;
  let conditions: readonly AdmissionExpression[] | undefined;
  return {
    id: `${configuration}/${name}/${index}`,
    configuration,
    name,
    rules: webhook.rules ?? [],
    selectors: selectorsOf(webhook),
    equivalent: webhook.matchPolicy === "Equivalent",
    conditions: () =>
      (conditions ??= (webhook.matchConditions ?? []).map(({ expression = "" }) =>
        compileAdmission(expression, "bool", { params: false, authorizer: true }),
      )),
    ignoresFailure: webhook.failurePolicy === "Ignore",
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    allowsDryRun: sideEffects === "None" || sideEffects === "NoneOnDryRun",
    reviewVersion: versions.find((version) => version === "v1" || version === "v1beta1"),
    reinvocable: webhook.reinvocationPolicy === "IfNeeded",
    endpoint: endpointOf(webhook.clientConfig ?? {}),
  };
}
