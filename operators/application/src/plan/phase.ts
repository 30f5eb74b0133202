import { explainPods, refusalText, type PhaseReport, type ReportFacts } from "@kedge/runtime";
import type { ApplicationPhase } from "../kind.ts";
import type { Observed } from "../observe.ts";
import { rolloutOf } from "./rollout.ts";

/** What is to be said of an application. */
export type ApplicationReport = PhaseReport<ApplicationPhase>;

/** What the phase depends on. */
export type PhaseFacts = ReportFacts<Observed>;

/** The phase of an application. It comes out of Failed by itself when what failed works again. */
export function phaseOf({ observed, refusals, failure }: PhaseFacts): ApplicationReport {
  const { application, deployment } = observed;
  const before = application.status?.phase;
  if (application.metadata.deletionTimestamp !== undefined) {
    const kept = application.spec.deletionPolicy === "Retain";
    const message = `Being deleted. The claims are ${kept ? "kept" : "deleted with it"}.`;
    return report(before ?? "Creating", "Deleting", message);
  }
  if (failure !== undefined) return report("Failed", failure.reason, failure.message);
  if (deployment === undefined) {
    return refusals.length > 0
      ? report("Failed", "SpecRefused", refusalText(refusals))
      : report("Creating", "ChildrenMissing", "The children are being made.");
  }
  const rollout = rolloutOf(deployment);
  const { wanted, ready } = rollout;
  const count = `${ready} of ${wanted} pods ${wanted === 1 ? "is" : "are"} ready`;
  const why = explainPods(observed.pods, observed.claims)?.message;
  const message = why === undefined || rollout.isSettled ? `${count}.` : `${count}: ${why}`;
  if (rollout.stuck !== undefined) return report("Failed", "DeploymentStuck", `${count}: ${rollout.stuck}`);
  if (rollout.isSettled) return { phase: "Running", ready: true, reason: "AllPodsAvailable", message };
  // Out of Failed, too: that it ran before is not known any more.
  const wasUp = before === "Running" || before === "Updating" || before === "Scaling";
  if (!wasUp) return report("Creating", "PodsStarting", message);
  if (rollout.isRolling) return report("Updating", "RollingUpdate", message);
  if (rollout.isScaling) return report("Scaling", "ReplicasChanging", message);
  if (rollout.isUnseen) return report("Updating", "SpecChanged", message);
  // New pods are there but not available yet; one that failed by itself is neither scaling nor an update.
  if (before !== "Running") return report(before, "PodsStarting", message);
  // Running means that there is something that runs.
  if (ready === 0) return report("Creating", "NoPodAvailable", message);
  return report("Running", "SomePodsNotAvailable", message);
}

function report(phase: ApplicationPhase, reason: string, message: string): ApplicationReport {
  return { phase, ready: false, reason, message };
}
