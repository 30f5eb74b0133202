import { intAt, valueAt } from "@kedge/machinery";
import { inNamespace, typed, type Cause } from "../cause.ts";
import type { AnyObject, SeenEvent, Situation } from "../situation.ts";
import { evidenceOf } from "./claim.ts";

/** What holds a Deployment, ReplicaSet, StatefulSet, DaemonSet, Job or CronJob up itself: not its pods. */
export function workloadCauses(object: AnyObject, situation: Situation): readonly Cause[] {
  const stopped = stoppedByUser(object);
  if (stopped !== undefined) return [stopped];
  const failed = situation.warning(object, "FailedCreate", "ReplicaSetCreateError", "FailedUpdate");
  // An old warning says nothing once the pods are there.
  return failed !== undefined && isShort(object, situation) ? [notCreated(object, failed)] : [];
}

function stoppedByUser(object: AnyObject): Cause | undefined {
  const where = inNamespace(object);
  if (valueAt(object, ["spec", "paused"]) === true)
    return { about: object, says: "is paused", fix: `kubectl rollout resume ${typed(object)}${where}` };
  if (valueAt(object, ["spec", "suspend"]) === true)
    return {
      about: object,
      says: "is suspended",
      fix: `kubectl patch ${typed(object)}${where} -p '{"spec":{"suspend":false}}'`,
    };
  return undefined;
}

/** Whether it has fewer pods than it should have. */
function isShort(object: AnyObject, situation: Situation): boolean {
  const wanted = intAt(object, "spec.replicas") ?? intAt(object, "spec.parallelism") ?? 1;
  const has = situation.childrenOf(object).filter(({ kind }) => kind === "Pod").length;
  return object.kind === "Deployment" || object.kind === "CronJob" || has < wanted;
}

function notCreated(object: AnyObject, failed: SeenEvent): Cause {
  const evidence = [evidenceOf(failed)];
  const where = inNamespace(object);
  const [, quota] = /exceeded quota: ([^,\s]+)/u.exec(failed.message) ?? [];
  if (quota !== undefined)
    return {
      about: object,
      says: `may not create pods: ${failed.message}`,
      evidence,
      fix: `kubectl describe resourcequota ${quota}${where}, then raise it or ask for less`,
    };
  const [, webhook] = /(?:admission webhook|calling webhook) "([^"]+)"/u.exec(failed.message) ?? [];
  if (webhook !== undefined)
    return {
      about: object,
      says: `may not create pods: a webhook refuses: ${failed.message}`,
      evidence,
      fix: `do as it says; if it is down: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations | grep ${webhook}`,
    };
  const [, account] = /serviceaccount "(?:[^"/]+\/)?([^"]+)" not found/iu.exec(failed.message) ?? [];
  return {
    about: object,
    says: `cannot create what it should: ${failed.message}`,
    evidence,
    fix:
      account === undefined
        ? `kubectl describe ${typed(object)}${where}`
        : `kubectl create serviceaccount ${account}${where}`,
  };
}
