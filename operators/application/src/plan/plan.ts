import type { ApplyObject } from "@kedge/client";
import { isControlledBy, type DeepReadonly, type Uid } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import type { PersistentVolumeClaim, Service } from "@kedge/machinery/kinds/core/v1";
import type { Plan, Refusal } from "@kedge/runtime";
import type { Application } from "../kind.ts";
import { finalizer } from "../names.ts";
import type { Observed } from "../observe.ts";
import { autoscalerOf } from "../specs/autoscaler.ts";
import { deploymentOf } from "../specs/deployment.ts";
import { serviceOf } from "../specs/service.ts";
import { planClaims } from "./claims.ts";
import { planReplicas } from "./replicas.ts";

/** One thing to do. They are done in order; the first that fails ends the run. */
export type Action =
  | { readonly do: "add-finalizer" }
  | { readonly do: "apply-claim"; readonly object: ApplyObject<PersistentVolumeClaim> }
  | { readonly do: "disown-claim"; readonly claim: DeepReadonly<PersistentVolumeClaim> }
  | {
      readonly do: "hand-over-replicas";
      readonly name: string;
      readonly uid: Uid;
      readonly count: number;
    }
  | { readonly do: "apply-deployment"; readonly object: ApplyObject<Deployment> }
  | { readonly do: "apply-service"; readonly object: ApplyObject<Service> }
  | { readonly do: "apply-autoscaler"; readonly object: ApplyObject<HorizontalPodAutoscaler> }
  | {
      readonly do: "delete-service" | "delete-autoscaler" | "delete-claim";
      readonly name: string;
      readonly uid: Uid;
    };

/** What a run does about an application. */
export type ApplicationPlan = Plan<Action>;

/** Decides what to do about an application. */
export function planApplication(observed: Observed): ApplicationPlan {
  const { metadata } = observed.application;
  if (metadata.deletionTimestamp !== undefined) return planDeletion(observed);
  if (!(metadata.finalizers ?? []).includes(finalizer)) {
    return { actions: [{ do: "add-finalizer" }], refusals: [], release: false };
  }
  return planChildren(observed);
}

/** What is owned goes by itself when the application has gone. Claims are kept, or deleted when the user chose so. */
function planDeletion(observed: Observed): ApplicationPlan {
  const { application, claims } = observed;
  const actions: readonly Action[] =
    application.spec.deletionPolicy === "Delete"
      ? claims
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .map(({ metadata: { name, uid } }) => ({ do: "delete-claim", name, uid }))
      : disownClaims(observed);
  return { actions, refusals: [], release: true };
}

/** Older versions owned their claims: with the application, the garbage collector would delete the data. */
function disownClaims({ application, claims }: Observed): readonly Action[] {
  return claims
    .filter((claim) => isControlledBy(claim, application))
    .map((claim) => ({ do: "disown-claim", claim }));
}

function planChildren(observed: Observed): ApplicationPlan {
  const { application } = observed;
  const { replicas, handOver, ...number } = planReplicas(application.spec, observed.deployment);
  const { claims, refusals } = planClaims(observed);
  const badLimits = scalingRefusals(application);
  return {
    actions: [
      ...disownClaims(observed),
      ...claims.map((object) => ({ do: "apply-claim", object }) as const),
      ...(handOver === undefined ? [] : [{ do: "hand-over-replicas", ...handOver } as const]),
      ...withoutAutoscaler(observed),
      { do: "apply-deployment", object: deploymentOf(application, replicas) },
      ...serviceActions(observed),
      // Not before the number of replicas is the autoscaler's to say: the two would fight over it.
      ...(replicas.by === "autoscaler" && badLimits.length === 0 ? autoscalerActions(application) : []),
    ],
    refusals: [...refusals, ...number.refusals, ...badLimits],
    release: false,
  };
}

function serviceActions({ application, service }: Observed): readonly Action[] {
  const object = serviceOf(application);
  if (object !== undefined) return [{ do: "apply-service", object }];
  return ours(application, service).map(({ name, uid }) => ({ do: "delete-service", name, uid }));
}

/** Gone before the application says the number again. */
function withoutAutoscaler({ application, autoscaler }: Observed): readonly Action[] {
  if (application.spec.scaling !== undefined) return [];
  return ours(application, autoscaler).map(({ name, uid }) => ({ do: "delete-autoscaler", name, uid }));
}

function autoscalerActions(application: DeepReadonly<Application>): readonly Action[] {
  const object = autoscalerOf(application);
  return object === undefined ? [] : [{ do: "apply-autoscaler", object }];
}

/** What exists, if it is ours and not on its way out. */
function ours(
  application: DeepReadonly<Application>,
  child: DeepReadonly<Service | HorizontalPodAutoscaler> | undefined,
): readonly { readonly name: string; readonly uid: Uid }[] {
  if (child === undefined || child.metadata.deletionTimestamp !== undefined) return [];
  return isControlledBy(child, application) ? [child.metadata] : [];
}

function scalingRefusals({ spec }: DeepReadonly<Application>): readonly Refusal[] {
  const { scaling } = spec;
  if (scaling === undefined || scaling.minReplicas <= scaling.maxReplicas) return [];
  const message = `is ${scaling.maxReplicas}, less than minReplicas ${scaling.minReplicas}: raise it`;
  return [{ field: "spec.scaling.maxReplicas", message }];
}
