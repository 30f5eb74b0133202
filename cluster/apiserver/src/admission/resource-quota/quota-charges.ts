import { conflict, deepEqual, inBackground, internalError, isConflict, isNotFound } from "@kedge/machinery";
import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import { sameAmounts, writeAmounts } from "@kedge/machinery/quota";
import type { AdmissionContext } from "../types.ts";
import { checkQuotas, runningQuota, type Charge, type RunningQuota } from "./check-quotas.ts";

/** How long a request waits for its turn. */
const patience = 10_000;
/** How often a quota is read again that another writer was faster with. */
const retries = 3;
/** How many requests are decided together, at most. */
const mostAtOnce = 64;

interface Waiting extends PromiseWithResolvers<void> {
  readonly charge: Charge;
  isGone: boolean;
}

/**
 * Charges quotas, a namespace at a time: requests that come while its quotas are written wait, and are then decided and
 * written together. What another server writes meanwhile is seen by comparing versions.
 */
export class QuotaCharges {
  readonly #waiting = new Map<string, Waiting[]>();

  /** Resolves when the quotas have been charged. Throws a `StatusError` when they would be exceeded. */
  async charge(charge: Charge, context: AdmissionContext): Promise<void> {
    const waiting: Waiting = { charge, isGone: false, ...Promise.withResolvers<void>() };
    const timer = context.clock.timer(patience, () => {
      waiting.isGone = true;
      waiting.reject(internalError(new Error("resource quota evaluation timed out")));
    });
    const { namespace } = charge.request;
    const queue = this.#waiting.get(namespace);
    if (queue === undefined) {
      const first = [waiting];
      this.#waiting.set(namespace, first);
      inBackground(this.#work(namespace, first, context), (error) => {
        this.#waiting.delete(namespace);
        for (const { reject } of [waiting, ...first]) reject(error);
      });
    } else queue.push(waiting);
    try {
      await waiting.promise;
    } finally {
      timer.cancel();
    }
  }

  async #work(namespace: string, queue: Waiting[], context: AdmissionContext): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, mostAtOnce).filter(({ isGone }) => !isGone);
      try {
        await decide(batch, { namespace, context });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(namespace);
  }
}

interface Scope {
  readonly namespace: string;
  readonly context: AdmissionContext;
}

/** Decides about requests in their order, writes what they use, and only then lets them pass. */
async function decide(batch: readonly Waiting[], scope: Scope): Promise<void> {
  let only: ReadonlySet<string> | undefined;
  let undecided = batch;
  for (let tried = 0; ; tried++) {
    const before = quotasOf(scope).filter((each) => only?.has(nameOf(each)) !== false);
    const plan = checkAll(before, undecided, scope);
    const failures = await writeAll(before, plan.quotas, scope);
    if (failures.size === 0) {
      for (const { resolve } of plan.charged) resolve();
      return;
    }
    if (tried === retries) throw [...failures.values()][0];
    // The others have been charged with these requests already.
    only = new Set(failures.keys());
    undecided = plan.charged;
  }
}

function quotasOf({ namespace, context: { objects } }: Scope): readonly RunningQuota[] {
  const resource = objects.registry.byKind("", ResourceQuota.kind);
  return resource === undefined ? [] : objects.list(resource, namespace).map(runningQuota);
}

/** What is used after all requests that fit; who does not, or uses nothing, is told at once. */
function checkAll(
  before: readonly RunningQuota[],
  undecided: readonly Waiting[],
  { context }: Scope,
): { readonly quotas: readonly RunningQuota[]; readonly charged: readonly Waiting[] } {
  let quotas = before;
  const charged = undecided.filter(({ charge, resolve, reject }) => {
    try {
      const after = checkQuotas(quotas, charge, context.clock.now());
      const isFree = after.every((each, at) => each === quotas[at]);
      if (!isFree && !charge.request.dryRun) {
        quotas = after;
        return true;
      }
      resolve();
    } catch (error) {
      reject(error);
    }
    return false;
  });
  return { quotas, charged };
}

/** Writes the quotas that have changed. Returns those that were changed by others meanwhile. */
async function writeAll(
  before: readonly RunningQuota[],
  after: readonly RunningQuota[],
  { namespace, context: { objects } }: Scope,
): Promise<ReadonlyMap<string, unknown>> {
  const failures = new Map<string, unknown>();
  const resource = objects.registry.byKind("", ResourceQuota.kind);
  if (resource === undefined) return failures;
  for (const [at, running] of after.entries()) {
    const { quota, used } = running;
    if (running === before[at] || sameAmounts(used, before[at]?.used ?? new Map())) continue;
    const name = nameOf(running);
    try {
      await objects.update(
        resource,
        { namespace, name },
        (object) => {
          // What was decided holds for as long as what it was decided by: others may write labels.
          const isSame = deepEqual(object["spec"], quota.spec) && deepEqual(object["status"], quota.status);
          if (!isSame) throw conflict(resource, name);
          object["status"] = { ...quota.status, used: writeAmounts(used) };
          return undefined;
        },
        { subresource: "status", isAdmitted: true },
      );
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      failures.set(name, error);
    }
  }
  return failures;
}

function nameOf({ quota }: RunningQuota): string {
  return quota.metadata?.name ?? "";
}
