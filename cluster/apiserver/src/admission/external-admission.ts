import type { Clock, Random } from "@kedge/machinery";
import type { Authorizer } from "../auth/types.ts";
import type { BodyReaders } from "../decode/parse-body.ts";
import type { ObjectReader } from "../registry/types.ts";
import type { WebhookClient } from "../webhook-client/webhook-client.ts";
import { paramAccess } from "./policies/param-access.ts";
import { MutatingPolicies } from "./policies/mutating-policies.ts";
import { ValidatingPolicies } from "./policies/validating-policies.ts";
import type { AdmissionPlugin } from "./types.ts";
import { HookCaller } from "./webhooks/hook-caller.ts";
import { MutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { ValidatingWebhooks } from "./webhooks/validating-webhooks.ts";

/** Admission that objects of the cluster say: webhooks and policies. */
export interface ExternalAdmission {
  /** In Kubernetes' order. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Begins to follow the objects. Until then nobody is asked. */
  start(): void;
  stop(): void;
}

/** What it is made of. */
export interface ExternalAdmissionOptions extends BodyReaders {
  readonly objects: ObjectReader;
  readonly client: WebhookClient;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
}

/** Makes the plug-ins that follow the cluster. */
export function createExternalAdmission(options: ExternalAdmissionOptions): ExternalAdmission {
  const { objects, authorizer, table, yaml } = options;
  const caller = new HookCaller(options);
  const plugins = [
    new MutatingPolicies(objects, authorizer, { table, yaml }),
    new MutatingWebhooks(objects, caller, { table, yaml }),
    new ValidatingPolicies(objects, authorizer),
    new ValidatingWebhooks(objects, caller),
  ];
  const indexes = plugins.map(({ index }) => index);
  return {
    plugins: [paramAccess(authorizer), ...plugins],
    start: () => {
      for (const index of indexes) index.start();
    },
    stop: () => {
      for (const index of indexes) index.stop();
    },
  };
}
