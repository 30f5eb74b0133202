import type { DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { refusalText, type ConditionStatement, type Refusal } from "@kedge/runtime";
import { canonicalQuantity } from "@kedge/schema";
import { dataVolume } from "../names.ts";
import type { Observed } from "../observe.ts";
import { compareSizes, ordinalOf, planStorage } from "./storage.ts";

/** Whether each pod that is wanted has a volume of the size that was asked for, as its claim tells. */
export function storageCondition(
  observed: Pick<Observed, "instance" | "claims" | "statefulSet" | "expandableClasses" | "servers">,
  refusals: readonly Refusal[],
): ConditionStatement {
  const refused = refusals.filter(({ field }) => field.startsWith("spec.storage."));
  if (refused.length > 0) return notReady("Refused", refusalText(refused));
  const { instance, claims } = observed;
  const { replicas, storage } = instance.spec;
  const { outdated } = planStorage({ storage, replicas }, observed);
  if (outdated.length > 0) {
    const left = outdated.map(({ metadata }) => metadata.name).join(", ");
    const message = `New volumes take the place of those of ${left}, one at a time, when all other pods are in sync and have their data on their disks.`;
    return notReady("Moving", message);
  }
  const wanted = Array.from({ length: replicas }, (_none, ordinal) =>
    claims.find((claim) => ordinalOf(claim) === ordinal),
  );
  const states = wanted.map((claim, ordinal) =>
    claim === undefined
      ? {
          reason: "ClaimMissing",
          message: `claim ${dataVolume}-${instance.metadata.name}-${ordinal} is not there yet`,
        }
      : stateOf(claim),
  );
  // The worst first: what needs somebody must not hide behind what passes.
  const worst = Object.keys(severities).find((reason) => states.some((state) => state?.reason === reason));
  if (worst !== undefined) {
    const told = states.flatMap((state) => (state?.reason === worst ? [state.message] : []));
    return notReady(worst, `${told.join("; ")}.`);
  }
  const sizes = wanted.flatMap((claim) => (claim === undefined ? [] : [sizeOf(claim)]));
  const distinct = [...new Set(sizes)].join(", ");
  const message = `${replicas} ${replicas === 1 ? "volume" : "volumes"} of ${distinct}.`;
  return { type: storageReady, status: "True", reason: "AllBound", message };
}

/** The type of the condition. */
export const storageReady = "StorageReady";

/** Whether a reason of the condition is one that somebody should know of. */
export function isStorageTrouble(reason: string): boolean {
  return Object.entries(severities).some(([known, severity]) => known === reason && severity === "trouble");
}

/** Which state of a claim is told of first. */
const severities = {
  ClaimLost: "trouble",
  ClaimDeleted: "trouble",
  ResizeFailed: "trouble",
  ClaimMissing: "passing",
  ClaimPending: "passing",
  Growing: "passing",
} as const;

interface ClaimState {
  readonly reason: keyof typeof severities;
  readonly message: string;
}

/** What is not as it should be with a claim; undefined when nothing is. */
function stateOf({ metadata, spec, status }: DeepReadonly<PersistentVolumeClaim>): ClaimState | undefined {
  const what = `claim ${metadata.name}`;
  if (status?.phase === "Lost") {
    return { reason: "ClaimLost", message: `${what} has lost its volume ${spec?.volumeName ?? ""}` };
  }
  if (metadata.deletionTimestamp !== undefined) {
    const message = `${what} is deleted, and its data with it as soon as its pod is gone`;
    return { reason: "ClaimDeleted", message };
  }
  if (status?.phase !== "Bound") return { reason: "ClaimPending", message: `${what} waits for its volume` };
  const requested = spec?.resources?.requests?.["storage"] ?? "0";
  const capacity = status.capacity?.["storage"] ?? "0";
  if (compareSizes(capacity, requested) >= 0) return undefined;
  const error = status.conditions?.find(({ type }) => type.endsWith("ResizeError"));
  const isInfeasible = status.allocatedResourceStatuses?.["storage"]?.endsWith("Infeasible") === true;
  const told = (error ?? status.conditions?.find(({ message }) => (message ?? "") !== ""))?.message ?? "";
  const grows = `${what} has ${canonicalQuantity(capacity)} and is to have ${canonicalQuantity(requested)}`;
  const message = `${grows}${told === "" ? "" : `: ${told}`}`;
  if (error === undefined && !isInfeasible) return { reason: "Growing", message };
  const out = `ask for less in spec.storage.size (more than ${canonicalQuantity(capacity)}), or make room`;
  return { reason: "ResizeFailed", message: `${message} (${out})` };
}

function sizeOf({ status }: DeepReadonly<PersistentVolumeClaim>): string {
  return canonicalQuantity(status?.capacity?.["storage"] ?? "0");
}

function notReady(reason: string, message: string): ConditionStatement {
  return { type: storageReady, status: "False", reason, message };
}
