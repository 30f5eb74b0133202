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
  if (rollout.stuck !== undefined) return report("Failed", "DeploymentStuck", `${count}: ${rollout.stuck}`);
  if (rollout.isSettled) {
    return { phase: "Running", ready: true, reason: "AllPodsAvailable", message: `${count}.` };
  }
  const trouble = explainPods(observed.pods, observed.claims);
  const message = trouble === undefined ? `${count}.` : `${count}: ${trouble.message}`;
  const say = (phase: ApplicationPhase, reason: string): ApplicationReport => ({
    ...report(phase, trouble?.isWarning === true ? trouble.reason : reason, message),
    trouble,
  });
  // Out of Failed, too: that it ran before is not known any more.
  const wasUp = before === "Running" || before === "Updating" || before === "Scaling";
  if (!wasUp) return say("Creating", "PodsStarting");
  if (rollout.isRolling) return say("Updating", "RollingUpdate");
  if (rollout.isScaling) return say("Scaling", "ReplicasChanging");
  if (rollout.isUnseen) return say("Updating", "SpecChanged");
  // New pods are there but not available yet; one that failed by itself is neither scaling nor an update.
  if (before !== "Running") return say(before, "PodsStarting");
  // Running means that there is something that runs.
  if (ready === 0) return say("Creating", "NoPodAvailable");
  return say("Running", "SomePodsNotAvailable");
}

function report(phase: ApplicationPhase, reason: string, message: string): ApplicationReport {
  return { phase, ready: false, reason, message };
}
