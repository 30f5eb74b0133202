import { compareQuantities, quantitySign } from "@kedge/machinery";
import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import {
  addAmounts,
  amountsText,
  increase,
  isCounted,
  maskAmounts,
  parseAmounts,
  withoutZeros,
  type Amounts,
  type Evaluator,
} from "@kedge/machinery/quota";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { refusal } from "../request.ts";
import type { AdmissionRequest } from "../types.ts";

/** A quota, and what is used of it with all that was charged since it was read. */
export interface RunningQuota {
  readonly quota: Decoded<ResourceQuota>;
  readonly hard: Amounts;
  readonly used: Amounts;
}

/** What is to be charged. */
export interface Charge {
  readonly request: AdmissionRequest<StoredApiObject>;
  readonly object: StoredApiObject;
  readonly evaluator: Evaluator;
}

/** A quota as it is stored. */
export function runningQuota(object: StoredApiObject): RunningQuota {
  const quota = decodedAs(ResourceQuota, object);
  return { quota, hard: parseAmounts(quota.status?.hard), used: parseAmounts(quota.status?.used) };
}

/** The quotas with a charge in them: the same ones where nothing is charged. Throws a `StatusError` when it does not fit. */
export function checkQuotas(
  quotas: readonly RunningQuota[],
  charge: Charge,
  now: number,
): readonly RunningQuota[] {
  const { request, object, evaluator } = charge;
  const concerned = new Set(quotas.filter((quota) => concerns(quota, charge)));
  if (concerned.size === 0) return quotas;
  const usage = evaluator.usage(object, now);
  const negative = Array.from(usage)
    .filter(([, amount]) => quantitySign(amount) < 0)
    .map(([name]) => name);
  if (negative.length > 0)
    throw refusal(request, `quota usage is negative for resource(s): ${negative.toSorted().join(",")}`);
  return quotas.map((running) =>
    concerned.has(running)
      ? charged(running, withoutZeros(changeOf(running, charge, { usage, now })), request)
      : running,
  );
}

/** Whether a quota counts the object. Throws when it does, but cannot. */
function concerns({ quota, hard, used }: RunningQuota, { request, object, evaluator }: Charge): boolean {
  const names = evaluator.matching([...hard.keys()]);
  if (names.length === 0 || !isCounted(evaluator, quota, object)) return false;
  const { name = "" } = quota.metadata ?? {};
  const missing = evaluator.constraint(object, names);
  if (missing !== undefined) throw refusal(request, `failed quota: ${name}: ${missing}`);
  if (names.some((each) => !used.has(each)))
    throw refusal(request, `status unknown for quota: ${name}, resources: ${names.toSorted().join(",")}`);
  return true;
}

/** What an object uses, or what it uses more than before if it was counted then. */
function changeOf(
  { quota }: RunningQuota,
  { request, evaluator }: Charge,
  { usage, now }: { readonly usage: Amounts; readonly now: number },
): Amounts {
  const { operation, oldObject } = request;
  if (operation !== "UPDATE" || oldObject === undefined || !isCounted(evaluator, quota, oldObject))
    return usage;
  return increase(usage, evaluator.usage(oldObject, now));
}

function charged(
  running: RunningQuota,
  change: Amounts,
  request: AdmissionRequest<StoredApiObject>,
): RunningQuota {
  const { quota, hard, used } = running;
  const requested = maskAmounts(change, hard.keys());
  if (requested.size === 0) return running;
  const sum = addAmounts(used, requested);
  const exceeded = [...requested.keys()].filter((name) => {
    const [amount, most] = [sum.get(name), hard.get(name)];
    return amount !== undefined && most !== undefined && compareQuantities(amount, most) > 0;
  });
  if (exceeded.length > 0 && request.subresource !== "status") {
    const textOf = (amounts: Amounts): string => amountsText(maskAmounts(amounts, exceeded));
    throw refusal(
      request,
      `exceeded quota: ${quota.metadata?.name ?? ""}, requested: ${textOf(requested)}, used: ${textOf(used)}, limited: ${textOf(hard)}`,
    );
  }
  return { ...running, used: sum };
}
