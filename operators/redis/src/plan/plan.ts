import type { ApplyObject } from "@kedge/client";
import type { Uid } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import type { Plan, Refusal } from "@kedge/runtime";
import { canonicalResources } from "@kedge/schema";
import { checkConfig } from "../config/check-config.ts";
import { configHash, redisConfig } from "../config/redis-config.ts";
import { finalizer } from "../names.ts";
import type { Observed } from "../observe.ts";
import { configMapOf } from "../specs/config-map.ts";
import { headlessServiceOf, serviceOf } from "../specs/services.ts";
import { statefulSetOf } from "../specs/stateful-set.ts";
import { planDeletion } from "./deletion.ts";
import { planStorage } from "./storage.ts";

/** One thing to do. They are done in order; the first that fails ends the run. */
export type Action =
  | { readonly do: "add-finalizer" }
  | { readonly do: "create-password" }
  | { readonly do: "apply-config-map"; readonly object: ApplyObject<ConfigMap> }
  | { readonly do: "apply-service"; readonly object: ApplyObject<Service> }
  | { readonly do: "apply-stateful-set"; readonly object: ApplyObject<StatefulSet> }
  | { readonly do: "stop-pods"; readonly name: string; readonly uid: Uid }
  | { readonly do: "delete-stateful-set"; readonly name: string; readonly uid: Uid }
  | { readonly do: "delete-claim"; readonly name: string; readonly uid: Uid };

/** What a run does about an instance. */
export type InstancePlan = Plan<Action>;

/** Decides what to do about an instance. */
export function planInstance(observed: Observed): InstancePlan {
  const { instance } = observed;
  if (instance.metadata.deletionTimestamp !== undefined) return planDeletion(observed);
  // Its own run, as everything after it relies on the clean-up.
  if (!(instance.metadata.finalizers ?? []).includes(finalizer)) {
    return { actions: [{ do: "add-finalizer" }], refusals: [], release: false };
  }
  return planChildren(observed);
}

function planChildren(observed: Observed): InstancePlan {
  const { instance } = observed;
  const { spec, metadata } = instance;
  const config = planConfig(observed);
  const { storage, refusals } = planStorage(spec.storage, observed.statefulSet);
  const allRefusals = [...config.refusals, ...passwordRefusals(observed), ...refusals];
  // A new instance is made as it was asked for, or not at all.
  if (config.text === undefined) return { actions: [], refusals: allRefusals, release: false };
  const authEnabled = spec.auth.enabled;
  const statefulSet = statefulSetOf(metadata, {
    image: spec.image,
    replicas: spec.replicas,
    resources: spec.resources === undefined ? undefined : canonicalResources(spec.resources),
    storage,
    authEnabled,
    configHash: configHash(config.text),
  });
  return {
    actions: [
      ...(authEnabled && observed.password === "missing" ? [{ do: "create-password" } as const] : []),
      { do: "apply-config-map", object: configMapOf(metadata, config.text) },
      { do: "apply-service", object: headlessServiceOf(metadata) },
      { do: "apply-service", object: serviceOf(metadata) },
      { do: "apply-stateful-set", object: statefulSet },
    ],
    refusals: allRefusals,
    release: false,
  };
}

/** A config that is refused leaves the servers with the one that they have. */
function planConfig({ instance, configMap }: Observed): {
  readonly text: string | undefined;
  readonly refusals: readonly Refusal[];
} {
  const { config, auth } = instance.spec;
  const refusals = checkConfig(config);
  if (refusals.length === 0) return { text: redisConfig({ config, authEnabled: auth.enabled }), refusals };
  return { text: configMap?.data?.["redis.conf"], refusals };
}

function passwordRefusals({ instance, password }: Observed): readonly Refusal[] {
  if (!instance.spec.auth.enabled || password !== "unusable") return [];
  const { name } = instance.metadata;
  return [
    {
      field: "spec.auth.enabled",
      message: `asks for the password in the Secret ${name}-auth, which has no key password: add it, or delete the Secret and one is made`,
    },
  ];
}
