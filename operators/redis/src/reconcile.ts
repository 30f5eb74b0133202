import type { Clock, Random } from "@kedge/machinery";
import { reconcileByPlan, type ReconcileContext, type ReconcileResult } from "@kedge/runtime";
import { act } from "./act.ts";
import { ConfigTrials } from "./config-trials.ts";
import type { Engine } from "./engine/types.ts";
import { RedisInstance } from "./kind.ts";
import { finalizer } from "./names.ts";
import { newestReplication, observe } from "./observe.ts";
import { phaseOf } from "./plan/phase.ts";
import { planInstance } from "./plan/plan.ts";
import type { Pulse } from "./pulse.ts";
import { replicationStatusOf, statusOf } from "./status.ts";
import { transitionsOf } from "./transitions.ts";

/** How servers are reached. */
export interface Servers {
  readonly engine: Engine;
  readonly pulse: Pulse;
}

/** What a run works with. */
export interface ReconcileOptions {
  readonly secretRandom: Random;
  /** Made once, with the manager's clock. */
  readonly servers: (clock: Clock) => Servers;
}

/** One run over an instance: observe, plan, act, report. */
export function reconcileInstance({
  secretRandom,
  servers,
}: ReconcileOptions): (context: ReconcileContext<RedisInstance>) => Promise<ReconcileResult | undefined> {
  const trials = new ConfigTrials();
  return async (context) => {
    const { engine, pulse } = servers(context.clock);
    if (context.object === undefined) {
      pulse.forget(context.key);
      trials.forget(context.key);
    }
    const run = reconcileByPlan({
      kind: RedisInstance,
      finalizer,
      observe: (_context, instance) => observe(context, instance, { pulse, trials }),
      plan: planInstance,
      act: (action, _context, instance) => act(action, { context, instance, secretRandom, engine, trials }),
      report(facts, clock) {
        const phase = phaseOf(facts);
        // Read now, in the same breath as the status is written: an epoch that somebody took since is never undone.
        const replication = replicationStatusOf(
          newestReplication(context, facts.observed.instance),
          facts.observed,
        );
        const status = {
          ...statusOf(facts, phase, clock),
          ...(replication !== undefined && { replication }),
        };
        return { status, events: transitionsOf(facts, phase) };
      },
    });
    return await run(context);
  };
}
