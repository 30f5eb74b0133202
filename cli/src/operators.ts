import { applicationOperator } from "@kedge/application-operator";
import { Meter, redisOperator } from "@kedge/redis-operator";
import type { Operator } from "@kedge/runtime";

/** Counts what the Redis operator does. */
export const redisMeter = new Meter();

/** Every operator that `kedge operator` runs, `kedge generate` writes the kinds of, and `kedge up` installs. */
export const operators: readonly Operator[] = [redisOperator({ meter: redisMeter }), applicationOperator];
