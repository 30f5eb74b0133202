import {
  isConflict,
  selectorFromLabelSelector,
  selectorMatches,
  withTypeMeta,
  type DeepReadonly,
  type ObjectKey,
} from "@kedge/machinery";
import { Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import {
  defineController,
  watches,
  type Controller,
  type ControllerHost,
  type EventNote,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { writeStatusAsUpdate } from "../write-status.ts";
import { needsScale, reportBudget, reportFailure } from "./plan.ts";
import { expectedScale } from "./scale.ts";
import { selectorText } from "../selector-text.ts";

type Budget = DeepReadonly<PodDisruptionBudget>;
type AnyPod = DeepReadonly<Pod>;
type Context = ReconcileContext<PodDisruptionBudget>;

const reporter = "controllermanager";

/** Counts the pods of disruption budgets. Whether a pod may be evicted is then for the API server to say. */
export function disruptionController(): Controller {
  return defineController({
    name: "disruption-controller",
    reporter,
    for: PodDisruptionBudget,
    // The status too: the API server counts evictions in it.
    when: () => true,
    watches: [
      watches(Pod, budgetsOf),
      watches(ReplicaSet, () => []),
      watches(Deployment, () => []),
      watches(StatefulSet, () => []),
    ],
    reconcile,
  });
}

/** The budgets that a pod counts for, or counted for before. */
function budgetsOf(pod: AnyPod, previous: AnyPod | undefined, host: ControllerHost): readonly ObjectKey[] {
  const budgets = host.informers.of(PodDisruptionBudget).list({ namespace: pod.metadata.namespace });
  const matching = budgets.filter((budget) => selects(budget, pod));
  const [first, second] = matching;
  if (first !== undefined && second !== undefined) {
    const { namespace, name } = pod.metadata;
    host.events.record(withTypeMeta(Pod, pod), {
      type: "Warning",
      reason: "MultiplePodDisruptionBudgets",
      message: `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`,
      reporter,
    });
  }
  const before = budgets.filter(
    (budget) => previous !== undefined && !matching.includes(budget) && selects(budget, previous),
  );
  return [...matching, ...before].map(({ metadata }) => metadata);
}

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: budget, client, clock } = context;
  if (budget === undefined) return undefined;
  const statuses = client.of(PodDisruptionBudget).status;
  try {
    const pods = podsOf(context, budget);
    const scale = needsScale(budget) ? await scaleFor(context, budget, pods) : 0;
    const report = reportBudget({ budget, pods, scale, now: clock.now() });
    for (const pod of report.notDeleted) tellNotDeleted(context, budget, pod);
    await writeStatusAsUpdate(statuses, budget, report.status);
    return report.lookAgainAfter === undefined ? undefined : { requeueAfter: report.lookAgainAfter };
  } catch (error) {
    // Another writer was faster: it is counted again.
    if (isConflict(error) || !(error instanceof Error)) throw error;
    await writeStatusAsUpdate(statuses, budget, reportFailure(budget, error, clock.now()));
    return undefined;
  }
}

function podsOf(context: Context, budget: Budget): readonly AnyPod[] {
  const { namespace } = budget.metadata;
  const pods = context
    .read(Pod)
    .list({ namespace })
    .filter((pod) => selects(budget, pod));
  if (pods.length === 0) tell(context, budget, { reason: "NoPods", message: "No matching pods found" });
  return pods;
}

async function scaleFor(context: Context, budget: Budget, pods: readonly AnyPod[]): Promise<number> {
  try {
    const { scale, unmanaged } = await expectedScale(context, pods);
    if (unmanaged.length > 0) {
      const message = `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget.spec.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
      tell(context, budget, { type: "Warning", reason: "UnmanagedPods", message });
    }
    return scale;
  } catch (error) {
    const message = `Failed to calculate the number of expected pods: ${error instanceof Error ? error.message : String(error)}`;
    tell(context, budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    throw error;
  }
}

function tell({ events }: Context, budget: Budget, note: EventNote): void {
  events.record(withTypeMeta(PodDisruptionBudget, budget), note);
}

function tellNotDeleted({ events }: Context, { metadata: { namespace } }: Budget, pod: AnyPod): void {
  events.record(withTypeMeta(Pod, pod), {
    type: "Warning",
    reason: "NotDeleted",
    // Kubernetes has the namespace where the name should be.
    message: `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`,
  });
}

/** An invalid selector selects nothing. */
function selects({ spec }: Budget, { metadata }: AnyPod): boolean {
  try {
    return selectorMatches(selectorFromLabelSelector(spec.selector), metadata.labels ?? {});
  } catch {
    return false;
  }
}
