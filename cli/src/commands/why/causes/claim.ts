import type { DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { inNamespace, type Cause } from "../cause.ts";
import type { Situation } from "../situation.ts";

const defaultClass = "storageclass.kubernetes.io/is-default-class";

/** Why a claim has no volume. */
export function claimCauses(
  claim: DeepReadonly<PersistentVolumeClaim>,
  situation: Situation,
): readonly Cause[] {
  if (claim.status?.phase === "Bound") return [];
  const about = { kind: "PersistentVolumeClaim", metadata: claim.metadata };
  const describe = `kubectl describe pvc ${claim.metadata.name}${inNamespace(claim)}`;
  if (claim.status?.phase === "Lost")
    return [
      { about, says: `has lost its volume ${claim.spec?.volumeName ?? ""}`, fix: "restore it from a backup" },
    ];
  const wanted = claim.spec?.storageClassName;
  const classes = situation.facts.storageClasses;
  const named = classes.map(({ metadata }) => metadata.name).join(", ") || "none";
  if (
    wanted === undefined &&
    !classes.some(({ metadata }) => metadata.annotations?.[defaultClass] === "true")
  )
    return [
      {
        about,
        says: "names no storage class, and none is the default",
        evidence: [`storage classes: ${named}`],
        fix: `kubectl annotate storageclass NAME ${defaultClass}=true, or name one in the claim`,
      },
    ];
  const found = classes.find(({ metadata }) => metadata.name === wanted);
  if (wanted !== undefined && wanted !== "" && found === undefined)
    return [
      {
        about,
        says: `wants the storage class ${wanted}, which does not exist`,
        evidence: [`storage classes: ${named}`],
        fix: "create it, or name one that exists in whatever made the claim",
      },
    ];
  const failed = situation.warning(claim, "ProvisioningFailed", "FailedBinding", "VolumeMismatch");
  if (failed !== undefined)
    return [
      { about, says: `gets no volume: ${failed.message}`, evidence: [evidenceOf(failed)], fix: describe },
    ];
  if (found?.volumeBindingMode === "WaitForFirstConsumer" && usersOf(claim, situation).length === 0)
    return [
      {
        about,
        says: "waits for a pod that uses it: its volume is made where that pod runs",
        fix: "create the pod",
      },
    ];
  return [{ about, says: "has no volume yet", fix: describe }];
}

/** The pods that use a claim. */
export function usersOf(
  claim: { readonly metadata: { readonly name: string } },
  { facts }: Situation,
): readonly string[] {
  return facts.pods
    .filter((pod) => !["Succeeded", "Failed"].includes(pod.status?.phase ?? ""))
    .filter((pod) => claimsOf(pod.spec).includes(claim.metadata.name))
    .map((pod) => pod.metadata.name);
}

interface UsesVolumes {
  readonly volumes?:
    | readonly { readonly persistentVolumeClaim?: { readonly claimName: string } | undefined }[]
    | undefined;
}

/** The names of the claims that a pod uses. */
export function claimsOf(spec: UsesVolumes | undefined): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim ? [claim.claimName] : [],
  );
}

/** An event, as evidence. */
export function evidenceOf({ reason, count }: { readonly reason: string; readonly count: number }): string {
  return `event ${reason}${count > 1 ? `, ${count} times` : ""}`;
}
