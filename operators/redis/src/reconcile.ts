import type { Clock, Random } from "@kedge/machinery";
import { reconcileByPlan, type ReconcileContext, type ReconcileResult } from "@kedge/runtime";
import { act } from "./act.ts";
import { rollBack } from "./act-roll-back.ts";
import { ConfigTrials } from "./config-trials.ts";
import type { Engine } from "./engine/types.ts";
import { RedisInstance } from "./kind.ts";
import type { Meter } from "./meter.ts";
import { finalizer } from "./names.ts";
import { newestReplication, observe, type Observed } from "./observe.ts";
import { phaseOf } from "./plan/phase.ts";
import { planInstance } from "./plan/plan.ts";
import type { Pulse } from "./pulse/pulse.ts";
import { replicationStatusOf, statusOf } from "./status.ts";
import { transitionsOf } from "./transitions.ts";
import { UserTrials } from "./user-trials.ts";

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
  readonly meter: Meter;
}

/** One run over an instance: observe, plan, act, report. */
export function reconcileInstance({
  secretRandom,
  servers,
  meter,
}: ReconcileOptions): (context: ReconcileContext<RedisInstance>) => Promise<ReconcileResult | undefined> {
  const trials = new ConfigTrials();
  const userTrials = new UserTrials();
  return async (context) => {
    const { engine, pulse } = servers(context.clock);
    if (context.object === undefined) {
      pulse.forget(context.key);
      trials.forget(context.key);
      userTrials.forget(context.key);
      meter.forget(context.key);
    }
    let observed: Observed | undefined;
    /** As it was before anything was done. */
    let begun: Observed | undefined;
    const run = reconcileByPlan({
      kind: RedisInstance,
      finalizer,
      observe: async (_context, instance) => {
        observed = await observe(context, instance, { pulse, trials, userTrials });
        begun ??= observed;
        return observed;
      },
      plan: planInstance,
      act: (action, { clock }, instance) =>
        meter.time(action, { observed, clock }, () =>
          action.type === "roll back"
            ? rollBack(action, context, instance)
            : act(action, { context, instance, secretRandom, engine, trials, userTrials }),
        ),
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
        return { status, events: transitionsOf(facts, phase, begun) };
      },
    });
    return await run(context);
  };
}
