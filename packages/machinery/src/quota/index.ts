export {
  addAmounts,
  amountsText,
  increase,
  maskAmounts,
  parseAmounts,
  sameAmounts,
  withoutZeros,
  writeAmounts,
  type Amounts,
} from "./amounts.ts";
export { countedResource, evaluatorOf, particularResources } from "./evaluators.ts";
export { isTerminating } from "./pod-evaluator.ts";
export { isCounted } from "./scopes.ts";
export type { CountingQuota, Evaluator } from "./types.ts";
