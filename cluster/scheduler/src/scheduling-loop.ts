import { inBackground, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import type { ControllerHost } from "@kedge/runtime";
import { Bell } from "./bell.ts";
import { Binder } from "./binder.ts";
import type { Cycle } from "./cycle.ts";
import { explain, explainPreemption } from "./explain.ts";
import type { FilterName } from "./filters/types.ts";
import { findNode, type Refusal, type Search } from "./find-node.ts";
import type { NominatedPods } from "./nominated-pods.ts";
import { PodStatusWriter, type PodStatement } from "./pod-status-writer.ts";
import { planPreemption, type PreemptionPlan } from "./preemption/plan-preemption.ts";
import { preempt } from "./preemption/preempt.ts";
import { defaultProfile, type Profile } from "./profile.ts";
import type { QueuedPod } from "./queue/queued-pod.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { NamespaceLabels } from "./view/affinity-term.ts";
import type { ClusterView } from "./view/cluster-view.ts";
import type { OwnerSelectors } from "./view/owner-selectors.ts";
import type { PodInfo } from "./view/pod-info.ts";
import type { AssumedVolumes } from "./volumes/assumed-volumes.ts";
import { findVolumes } from "./volumes/find-volumes.ts";
import { podClaimsOf } from "./volumes/pod-claims.ts";
import { nothingToBind, type VolumePlan } from "./volumes/volume-catalog.ts";

/** What the loop works with. */
export interface LoopParts {
  readonly host: ControllerHost;
  readonly view: ClusterView;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  readonly volumes: AssumedVolumes;
  readonly owners: OwnerSelectors;
  readonly namespaceLabels: NamespaceLabels;
  readonly profileOf: (pod: DeepReadonly<Pod>) => Profile | undefined;
}

/** After so many milliseconds, or so many pods, others have their turn. */
const sliceMs = 10;
const slicePods = 128;
/** Longer texts are cut: an event takes no more. */
const longestNote = 1024;

/** Takes one pod after the other from the queue and gives each a node, or says why it has none. */
export class SchedulingLoop {
  readonly #parts: LoopParts;
  readonly #bell = new Bell();
  readonly #binder: Binder;
  readonly #statuses: PodStatusWriter;
  readonly #search: Search;

  constructor(parts: LoopParts) {
    const { host, view, queue, nominated } = parts;
    const { client, informers, clock, events, random } = host;
    const logger = host.logger.with({ controller: defaultProfile.schedulerName });
    this.#parts = parts;
    this.#search = { nominated, random, next: 0 };
    this.#statuses = new PodStatusWriter({ client, pods: informers.of(Pod), clock, logger });
    this.#binder = new Binder({
      client,
      clock,
      events,
      logger,
      view,
      queue,
      pods: informers.of(Pod),
      claims: informers.of(PersistentVolumeClaim),
      tell: (info, statement) => this.#tell(info, statement),
      onFree: () => this.ring(),
    });
  }

  /** There is something to do. */
  ring(): void {
    this.#bell.ring();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host, queue } = this.#parts;
    const { clock } = host;
    let [began, pods] = [clock.monotonic(), 0];
    while (!signal.aborted) {
      const queued = this.#binder.isFull ? undefined : queue.take();
      if (queued === undefined) {
        await this.#bell.wait(signal);
        [began, pods] = [clock.monotonic(), 0];
        continue;
      }
      this.#try(queued, signal);
      if (++pods < slicePods && clock.monotonic() - began < sliceMs) continue;
      await clock.sleep(0, signal).catch(() => undefined);
      [began, pods] = [clock.monotonic(), 0];
    }
    queue.stop();
    await this.#binder.ended();
  }

  /** One that goes wrong is tried again later, and holds up nobody else. */
  #try(queued: QueuedPod, signal: AbortSignal): void {
    const { host, queue, view } = this.#parts;
    const begin = host.clock.monotonic();
    const done = (result: "success" | "error"): void =>
      host.metrics.reconciled(defaultProfile.schedulerName, result, host.clock.monotonic() - begin);
    try {
      if (view.isDoubtful(queued.uid)) this.#binder.ask(queued, signal);
      else if (!view.isAssumed(queued.uid)) this.#schedule(queued, signal);
      done("success");
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      host.logger.error("A pod could not be looked at", { pod: queued.info.pod.metadata.name, error });
      this.#tell(queued.info, { unscheduled: { reason: "SchedulerError", message } });
      queue.failed(queued);
      done("error");
    }
  }

  /** All of it happens in one go. */
  #schedule(queued: QueuedPod, signal: AbortSignal): void {
    const { view, nominated, volumes } = this.#parts;
    const cycle = this.#cycleOf(queued.info);
    const finding = findNode(cycle, this.#search);
    if (finding.node === undefined) {
      this.#refuse(queued, cycle, finding);
      return;
    }
    const { name } = finding.node;
    const plan = volumePlanOf(cycle, finding.node);
    const takeBack = volumes.assume(plan, name);
    view.assume(queued.info.pod, name);
    nominated.delete(queued.uid);
    this.#binder.bind(queued, { node: name, plan, takeBack, signal });
  }

  #cycleOf(info: PodInfo): Cycle {
    const { view, volumes, owners, namespaceLabels, profileOf } = this.#parts;
    const { pod } = info;
    return { pod, info, profile: profileOf(pod) ?? defaultProfile, view, volumes, owners, namespaceLabels };
  }

  #refuse(queued: QueuedPod, cycle: Cycle, refusal: Refusal): void {
    const { queue } = this.#parts;
    const plan = this.#planPreemption(cycle, refusal);
    const preemption = plan?.type === "none" ? explainPreemption(plan.why) : "";
    const message = explain(refusal, preemption);
    queue.refused(queued, rejectorsOf(refusal));
    const nominatedNode = this.#nominate(queued, refusal, plan);
    this.#tell(queued.info, {
      unscheduled: { reason: "Unschedulable", message },
      ...(nominatedNode !== undefined && { nominatedNode }),
    });
  }

  #planPreemption(cycle: Cycle, refusal: Refusal): PreemptionPlan | undefined {
    if (refusal.nodes === 0 || refusal.rejected !== undefined) return undefined;
    const { host, nominated } = this.#parts;
    const budgets = host.informers.of(PodDisruptionBudget, { isOptional: true }).list();
    return planPreemption(cycle, refusal, { nominated, budgets, random: host.random, now: host.clock.now() });
  }

  /** The node that the pod is promised now; "": none any more; undefined: as before. */
  #nominate(queued: QueuedPod, refusal: Refusal, plan: PreemptionPlan | undefined): string | undefined {
    const { nominated } = this.#parts;
    if (plan?.type === "preempt") {
      nominated.set(queued.info, plan.node);
      this.#preempt(queued, plan);
      return plan.node;
    }
    const isVoid = refusal.nodes === 0 || (plan?.type === "none" && plan.isHopeless);
    if (!isVoid) return undefined;
    nominated.delete(queued.uid);
    return "";
  }

  #preempt(queued: QueuedPod, plan: PreemptionPlan & { readonly type: "preempt" }): void {
    const { host, queue, nominated } = this.#parts;
    const { client, clock, events, logger } = host;
    const { info, uid } = queued;
    const reporter = info.pod.spec.schedulerName ?? defaultProfile.schedulerName;
    // Those who were to come here and are less important may find another place sooner.
    for (const other of nominated.below(info.priority, plan.node)) {
      nominated.delete(other.uid);
      this.#statuses.write(keyOf(other), { nominatedNode: "" });
    }
    queue.hold(uid);
    inBackground(
      preempt({ client, clock, events, reporter }, plan, info).then(() => queue.release(uid, "told")),
      (error) => {
        logger.warn("Pods could not be made to leave", { node: plan.node, error });
        queue.release(uid, "failed");
      },
    );
  }

  /** Says in the pod's status and in an event why it has no place; again only when the words change. */
  #tell(info: PodInfo, statement: PodStatement): void {
    const { unscheduled } = statement;
    const { pod } = info;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (unscheduled !== undefined && (before?.status !== "False" || before.message !== unscheduled.message)) {
      const { message } = unscheduled;
      this.#parts.host.events.record(withTypeMeta(Pod, pod), {
        type: "Warning",
        reason: "FailedScheduling",
        message: message.length <= longestNote ? message : `${message.slice(0, longestNote - 4)} ...`,
        action: "Scheduling",
        reporter: pod.spec.schedulerName ?? defaultProfile.schedulerName,
      });
    }
    this.#statuses.write(keyOf(info), statement);
  }
}

function keyOf({ pod, uid, namespace }: PodInfo): {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
} {
  return { namespace, name: pod.metadata.name, uid };
}

function rejectorsOf({ rejected, obstacles, others }: Refusal): ReadonlySet<FilterName> {
  const names = new Set<FilterName>();
  if (rejected !== undefined) names.add(rejected.plugin);
  if (others !== undefined) names.add(others.plugin);
  for (const { plugin } of obstacles.values()) names.add(plugin);
  return names;
}

/** What the claims of a pod need on the node that was chosen. */
function volumePlanOf({ pod, volumes }: Cycle, node: Parameters<typeof findVolumes>[1]): VolumePlan {
  if (pod.spec.volumes === undefined) return nothingToBind;
  const claims = podClaimsOf(pod, volumes);
  const found = "rejected" in claims ? undefined : findVolumes(claims, node, volumes);
  return found === undefined || "reasons" in found ? nothingToBind : found;
}
