import { isConditionTrue } from "@kedge/machinery";
import type { ConditionStatement } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { replicationOf } from "../primary-of.ts";
import { suspendedMessage, type InstanceReport } from "./phase.ts";

/**
 * What everybody asks about an instance, whatever its phase: can it be used (`Available`), is something under way
 * (`Progressing`), is something not as it should be (`Degraded`), and is there a password (`AuthReady`).
 */
export function generalConditions(observed: Observed, report: InstanceReport): readonly ConditionStatement[] {
  const available = availableCondition(observed, report);
  return [
    available,
    progressingCondition(observed, report),
    degradedCondition(observed, report, available.status === "True"),
    authCondition(observed),
  ];
}

/** A primary that is ready takes reads and writes, whatever becomes of the others. */
function availableCondition(
  { instance, pods }: Observed,
  { phase, message }: InstanceReport,
): ConditionStatement {
  const { primary } = replicationOf(instance);
  const pod = pods.find(({ metadata }) => metadata.name === primary);
  const isUp =
    pod !== undefined &&
    pod.metadata.deletionTimestamp === undefined &&
    isConditionTrue(pod.status?.conditions, "Ready");
  if (isUp)
    return { type: "Available", status: "True", reason: "PrimaryReady", message: `${primary} serves.` };
  const reason = phase === "Hibernated" ? "Hibernated" : "PrimaryNotReady";
  return { type: "Available", status: "False", reason, message };
}

function progressingCondition(
  { instance }: Observed,
  { phase, reason, message }: InstanceReport,
): ConditionStatement {
  const type = "Progressing";
  if (instance.spec.suspend === true) {
    return { type, status: "False", reason: "Suspended", message: suspendedMessage };
  }
  const isUnderWay =
    phase === "Creating" || phase === "Updating" || phase === "Pending" || phase === "Terminated";
  return isUnderWay
    ? { type, status: "True", reason, message }
    : { type, status: "False", reason: "Settled", message: "Nothing is under way." };
}

/** Not while it is made or changed by the user's word: then it is not worse than it was asked to be. */
function degradedCondition(
  { instance }: Observed,
  { phase, reason, message }: InstanceReport,
  isAvailable: boolean,
): ConditionStatement {
  const type = "Degraded";
  const { status: before, conditions } = instance.status ?? {};
  const wasUp = isAvailable || before === "Running" || isConditionTrue(conditions, type);
  const isWorse = phase === "Failed" || (phase === "Pending" && wasUp);
  return isWorse
    ? { type, status: "True", reason, message }
    : { type, status: "False", reason: "AsExpected", message: "Nothing is known that should be better." };
}

function authCondition({ instance, password }: Observed): ConditionStatement {
  const type = "AuthReady";
  if (!instance.spec.auth.enabled) {
    return {
      type,
      status: "True",
      reason: "Disabled",
      message: "No password is asked for, as the spec says.",
    };
  }
  const wrong = passwordTrouble[password];
  return wrong === undefined
    ? {
        type,
        status: "True",
        reason: "PasswordInUse",
        message: "The servers ask for the password in the Secret.",
      }
    : { type, status: "False", ...wrong };
}

const passwordTrouble: Readonly<
  Record<string, { readonly reason: string; readonly message: string } | undefined>
> = {
  missing: { reason: "PasswordMissing", message: "A password is being made." },
  new: { reason: "PasswordNew", message: "The servers are about to be given the password of the Secret." },
  unusable: {
    reason: "PasswordUnusable",
    message: "There is no password in the Secret that a server could take.",
  },
  changed: { reason: "PasswordChanging", message: "The servers are being given the password of the Secret." },
  spoilt: {
    reason: "PasswordUnusable",
    message: "There is no password in the Secret that a server could take: they keep theirs.",
  },
  lost: { reason: "PasswordLost", message: "Both Secrets are gone: only the servers know the password." },
};
