import { applicationOperator } from "@kedge/application-operator";
import { redisOperator } from "@kedge/redis-operator";
import type { Operator } from "@kedge/runtime";

/** Every operator that `kedge operator` runs, `kedge generate` writes the kinds of, and `kedge up` installs. */
export const operators: readonly Operator[] = [redisOperator(), applicationOperator];
