import { isControlledBy, type DeepReadonly, type Uid } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Service } from "@kedge/machinery/kinds/core/v1";
import { applyChild, deleteChild, type ChildAction, type Plan, type Refusal } from "@kedge/runtime";
import type { Application } from "../kind.ts";
import { applicationLabel } from "../names.ts";
import type { Observed } from "../observe.ts";
import { autoscalerOf } from "../specs/autoscaler.ts";
import { deploymentOf } from "../specs/deployment.ts";
import { serviceOf } from "../specs/service.ts";
import { planClaims } from "./claims.ts";
import { planReplicas } from "./replicas.ts";

/** What this operator does itself, beside applying and deleting children. */
export type Action =
  | { readonly type: "disown claim"; readonly claim: DeepReadonly<PersistentVolumeClaim> }
  | {
      readonly type: "hand over replicas";
      readonly name: string;
      readonly uid: Uid;
      readonly count: number;
    };

/** What a run does about an application. */
export type ApplicationPlan = Plan<Action>;

/** Decides what to do about an application. */
export function planApplication(observed: Observed): ApplicationPlan {
  const isDeleted = observed.application.metadata.deletionTimestamp !== undefined;
  return isDeleted ? planDeletion(observed) : planChildren(observed);
}

/** What is owned goes by itself when the application has gone. Claims are kept, or deleted when the user chose so. */
function planDeletion(observed: Observed): ApplicationPlan {
  const { application, claims } = observed;
  const actions =
    application.spec.deletionPolicy === "Delete"
      ? claims
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .map(({ metadata }) => deleteChild(PersistentVolumeClaim, metadata))
      : disownClaims(observed);
  return { actions, release: true };
}

/** Older versions owned their claims: with the application, the garbage collector would delete the data. */
function disownClaims({ application, claims }: Observed): readonly Action[] {
  return claims
    .filter((claim) => isControlledBy(claim, application))
    .map((claim) => ({ type: "disown claim", claim }));
}

function planChildren(observed: Observed): ApplicationPlan {
  const { application } = observed;
  const { replicas, handOver, ...number } = planReplicas(application.spec, observed.deployment);
  const { claims, refusals } = planClaims(observed);
  const badLimits = scalingRefusals(application);
  return {
    actions: [
      ...disownClaims(observed),
      ...claims.map((claim) => applyChild(PersistentVolumeClaim, claim, { outlivesBy: applicationLabel })),
      ...(handOver === undefined ? [] : [{ type: "hand over replicas", ...handOver } as const]),
      ...withoutAutoscaler(observed),
      applyChild(Deployment, deploymentOf(application, replicas)),
      ...serviceActions(observed),
      // Not before the number of replicas is the autoscaler's to say: the two would fight over it.
      ...(replicas.by === "autoscaler" && badLimits.length === 0 ? autoscalerActions(application) : []),
    ],
    refusals: [...refusals, ...number.refusals, ...badLimits],
  };
}

function serviceActions({ application, service }: Observed): readonly ChildAction[] {
  const object = serviceOf(application);
  if (object !== undefined) return [applyChild(Service, object)];
  return staying(service).map((metadata) => deleteChild(Service, metadata));
}

/** Gone before the application says the number again. */
function withoutAutoscaler({ application, autoscaler }: Observed): readonly ChildAction[] {
  if (application.spec.scaling !== undefined) return [];
  return staying(autoscaler).map((metadata) => deleteChild(HorizontalPodAutoscaler, metadata));
}

function autoscalerActions(application: DeepReadonly<Application>): readonly ChildAction[] {
  const object = autoscalerOf(application);
  return object === undefined ? [] : [applyChild(HorizontalPodAutoscaler, object)];
}

/** What exists and is not on its way out. */
function staying<M extends { readonly deletionTimestamp?: string | undefined }>(
  child: { readonly metadata: M } | undefined,
): readonly M[] {
  return child === undefined || child.metadata.deletionTimestamp !== undefined ? [] : [child.metadata];
}

function scalingRefusals({ spec }: DeepReadonly<Application>): readonly Refusal[] {
  const { scaling } = spec;
  if (scaling === undefined || scaling.minReplicas <= scaling.maxReplicas) return [];
  const message = `is ${scaling.maxReplicas}, less than minReplicas ${scaling.minReplicas}: raise it`;
  return [{ field: "spec.scaling.maxReplicas", message }];
}
