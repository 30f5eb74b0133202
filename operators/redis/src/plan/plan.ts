import type { ApplyObject } from "@kedge/client";
import type { Uid } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import type { Plan } from "@kedge/runtime";
import { canonicalResources } from "@kedge/schema";
import { configHash } from "../config/redis-config.ts";
import { finalizer } from "../names.ts";
import type { Observed } from "../observe.ts";
import { configCopyOf, configMapOf } from "../specs/config-map.ts";
import { headlessServiceOf, serviceOf } from "../specs/services.ts";
import { statefulSetOf } from "../specs/stateful-set.ts";
import { peersOf } from "../specs/peers.ts";
import { planConfig, unusedCopies } from "./config.ts";
import { planDeletion } from "./deletion.ts";
import { passwordRefusals } from "./password-refusals.ts";
import { planPeers } from "./peers.ts";
import { planStorage } from "./storage.ts";

/** One thing to do. They are done in order; the first that fails ends the run. */
export type Action =
  | { readonly do: "add-finalizer" }
  | { readonly do: "create-password" }
  | { readonly do: "adopt-password" }
  | { readonly do: "restore-password" }
  | { readonly do: "apply-config-map"; readonly object: ApplyObject<ConfigMap> }
  | { readonly do: "apply-service"; readonly object: ApplyObject<Service> }
  | { readonly do: "apply-stateful-set"; readonly object: ApplyObject<StatefulSet> }
  | { readonly do: "delete-config-map"; readonly name: string; readonly uid: Uid }
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
  const { storage, refusals } = planStorage(spec.storage, observed);
  const allRefusals = [...config.refusals, ...passwordRefusals(observed), ...refusals];
  // A new instance is made as it was asked for, or not at all.
  if (config.text === undefined) return { actions: [], refusals: allRefusals, release: false };
  const authEnabled = spec.auth.enabled;
  const hash = configHash(config.text);
  const copy = configCopyOf(metadata, { text: config.text, hash });
  const { replicas } = config;
  const statefulSet = statefulSetOf(metadata, {
    image: config.image,
    replicas,
    resources: spec.resources === undefined ? undefined : canonicalResources(spec.resources),
    storage,
    authEnabled,
    configHash: hash,
  });
  return {
    actions: [
      ...(authEnabled ? passwordActions(observed) : []),
      { do: "apply-config-map", object: configMapOf(metadata, config.text) },
      { do: "apply-config-map", object: copy },
      { do: "apply-config-map", object: peersOf(metadata, planPeers(observed, config)) },
      { do: "apply-service", object: headlessServiceOf(metadata) },
      { do: "apply-service", object: serviceOf(metadata) },
      { do: "apply-stateful-set", object: statefulSet },
      ...unusedCopies(observed, copy.metadata.name).map(
        ({ metadata: { name, uid } }) => ({ do: "delete-config-map", name, uid }) as const,
      ),
    ],
    refusals: allRefusals,
    release: false,
  };
}

function passwordActions({ password }: Observed): readonly Action[] {
  if (password === "missing") return [{ do: "create-password" }];
  if (password === "new") return [{ do: "adopt-password" }];
  return password === "deleted" ? [{ do: "restore-password" }] : [];
}
