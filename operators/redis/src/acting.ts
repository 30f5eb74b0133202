import type { DeepReadonly, Random } from "@kedge/machinery";
import type { ReconcileContext } from "@kedge/runtime";
import type { ConfigTrials } from "./config-trials.ts";
import type { Engine } from "./engine/types.ts";
import type { RedisInstance } from "./kind.ts";
import type { UserTrials } from "./user-trials.ts";

/** What each action of this operator works with. */
export interface Acting {
  readonly context: Pick<ReconcileContext<RedisInstance>, "client" | "signal" | "events">;
  readonly instance: DeepReadonly<RedisInstance>;
  /** Where passwords come from: fit for secrets. */
  readonly secretRandom: Random;
}

/** What the actions on servers work with. */
export interface ServerActing extends Acting {
  readonly context: Acting["context"] & Pick<ReconcileContext<RedisInstance>, "read" | "clock" | "logger">;
  /** How servers are reached. */
  readonly engine: Engine;
  /** What servers have refused. */
  readonly trials: ConfigTrials;
  readonly userTrials: UserTrials;
}
