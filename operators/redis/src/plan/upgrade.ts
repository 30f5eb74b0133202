import { isConditionTrue, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { whyUnreadable } from "../config/data-format.ts";
import { expectedServer, serverOf } from "../config/image-server.ts";
import { acceptRiskAnnotation, dataVolume, imageAnnotation, touchedAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import type { ReplicationAction } from "./replication/types.ts";
import { ordinalOf } from "./storage.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;

/** Whose server has written what is on a claim's volume. */
export interface Written {
  readonly claim: Claim;
  readonly image: string;
  /** It has come to work; otherwise it may have written nothing, or anything. */
  readonly isReady: boolean;
}

type Facts = Pick<Observed, "pods" | "claims" | "instance">;

/**
 * Claims whose pod is ready with another image than they say: from then on the data is that server's. It is written on
 * the claim, because that outlives pods, StatefulSet and instance. So is a server that was started there and is not
 * ready, when the one before could not read what it may have written.
 */
export function unrecordedWriters(observed: Facts): readonly Written[] {
  return observed.claims.flatMap((claim): readonly Written[] => {
    const { annotations = {}, deletionTimestamp } = claim.metadata;
    const started = startedOn(observed, claim);
    if (started === undefined || deletionTimestamp !== undefined) return [];
    const { image, isReady } = started;
    const { [imageAnnotation]: written, [touchedAnnotation]: touched } = annotations;
    const isNews = isReady
      ? image !== written || touched !== undefined
      : image !== touched &&
        written !== undefined &&
        whyUnreadable(serverOf(image), serverOf(written)) !== undefined;
    return isNews ? [{ claim, ...started }] : [];
  });
}

/** Why servers of the image that is wanted could not read the data that there is; undefined when they can. */
export function refuseImage(observed: Facts): Refusal | undefined {
  const { image, redisVersion } = observed.instance.spec;
  const reader = expectedServer(image, redisVersion);
  for (const { claim, image: writer, isReady } of writersOf(observed)) {
    const why = whyUnreadable(serverOf(writer), reader);
    if (why === undefined || (!isReady && isRiskAccepted(observed, image))) continue;
    const was = isReady ? "was" : "may have been";
    const out = isReady
      ? "to move the data, make another instance and copy the keys"
      : wayBack(observed, { claim: claim.metadata.name, image });
    return {
      field: "spec.image",
      message: `is ${image}, but the data of claim ${claim.metadata.name} ${was} written by ${writer}, and ${why}: set it back to ${writer}; ${out}`,
    };
  }
  return undefined;
}

/** The image that wrote the data last, when nothing else tells: the first pod's. */
export function lastWriter(observed: Facts): string | undefined {
  const [first] = writersOf(observed)
    .filter(({ isReady }) => isReady)
    .toSorted((one, other) => ordinalOf(one.claim) - ordinalOf(other.claim));
  return first?.image;
}

/** Pods of a template that failed, and the revision that all were ready with before. */
export interface Failed {
  readonly renewed: readonly DeepReadonly<Pod>[];
  readonly goodRevision: string;
}

/** Why pods that failed cannot have their former server back, and the way out; undefined when they can. */
export function whyNotBack(observed: Facts, { renewed, goodRevision }: Failed): string | undefined {
  const good = observed.pods.find(
    ({ metadata }) => metadata.labels?.["controller-revision-hash"] === goodRevision,
  );
  for (const pod of renewed) {
    const claim = `${dataVolume}-${pod.metadata.name}`;
    const before =
      (good && imageOf(good)) ??
      observed.claims.find(({ metadata }) => metadata.name === claim)?.metadata.annotations?.[
        imageAnnotation
      ];
    const image = imageOf(pod);
    if (image === undefined || before === undefined || !hasStarted(pod)) continue;
    const why = whyUnreadable(serverOf(image), serverOf(before));
    if (why !== undefined && !isRiskAccepted(observed, before))
      return `pod ${pod.metadata.name} is not given ${before} back, because its server may have written, and ${why}: correct what it needs; ${wayBack(observed, { claim, image: before })}`;
  }
  return undefined;
}

/** Nothing but a copy is lost, where there is another one; where there is none, it is the user's to say. */
function wayBack(
  { pods, instance: { metadata } }: Facts,
  { claim, image }: { readonly claim: string; readonly image: string },
): string {
  if (pods.length > 1)
    return `or, as the other pods have the data, give its copy up: kubectl delete pvc ${claim} --wait=false`;
  const { namespace, name } = metadata;
  return `or let ${image} try to read what is there. There is no other copy of the data: it may not start, or lack what was written last, so copy the volume of ${claim} first. To accept that: kubectl annotate redisinstance -n ${namespace} ${name} ${acceptRiskAnnotation}=${image}, and set spec.image to it`;
}

/** With several servers there is a better way: a copy is given up. */
function isRiskAccepted({ instance: { metadata, spec } }: Facts, image: string): boolean {
  return spec.replicas === 1 && metadata.annotations?.[acceptRiskAnnotation] === image;
}

/** A word that was given for one upgrade is not kept for the next: it goes when there is no such volume any more. */
export function doneAccepting(
  observed: Facts,
): readonly Extract<ReplicationAction, { type: "clear annotation" }>[] {
  const value = observed.instance.metadata.annotations?.[acceptRiskAnnotation];
  const isOpen =
    writersOf(observed).some(({ isReady }) => !isReady) || unrecordedWriters(observed).length > 0;
  return value === undefined || isOpen
    ? []
    : [{ type: "clear annotation", annotation: acceptRiskAnnotation, value }];
}

function writersOf(observed: Facts): readonly Written[] {
  return observed.claims
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((claim): readonly Written[] => {
      const { [imageAnnotation]: written, [touchedAnnotation]: touched } = claim.metadata.annotations ?? {};
      const started = startedOn(observed, claim);
      if (started?.isReady === true) return [{ claim, ...started }];
      return [
        ...(written === undefined ? [] : [{ claim, image: written, isReady: true }]),
        ...(touched === undefined ? [] : [{ claim, image: touched, isReady: false }]),
      ];
    });
}

/** A server that is ready has loaded its data, and writes; one that never was may have failed to read them. */
function startedOn({ pods, instance }: Facts, claim: Claim): Omit<Written, "claim"> | undefined {
  const name = `${instance.metadata.name}-${ordinalOf(claim)}`;
  const pod = pods.find(({ metadata }) => metadata.name === name);
  const image = pod === undefined ? undefined : imageOf(pod);
  if (pod === undefined || image === undefined) return undefined;
  const isReady = isConditionTrue(pod.status?.conditions, "Ready");
  return isReady || hasStarted(pod) ? { image, isReady } : undefined;
}

function imageOf({ spec }: DeepReadonly<Pod>): string | undefined {
  return spec.containers.find(({ name }) => name === "redis")?.image;
}

/** Its server has come as far as its data at least once. */
function hasStarted({ status }: DeepReadonly<Pod>): boolean {
  const server = status?.containerStatuses?.find(({ name }) => name === "redis");
  const ended = server?.state?.terminated ?? server?.lastState?.terminated;
  if (ended?.message?.includes("FATAL CONFIG FILE ERROR") === true) return false;
  return server?.state?.running !== undefined || ended !== undefined || (server?.restartCount ?? 0) > 0;
}
