import { isConditionTrue, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { whyUnreadable } from "../config/data-format.ts";
import { expectedServer, serverOf } from "../config/image-server.ts";
import { imageAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { ordinalOf } from "./storage.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;

/** Whose server has written what is on a claim's volume. */
export interface Written {
  readonly claim: Claim;
  readonly image: string;
}

/**
 * Claims whose pod is ready with another image than they say: from then on the data is that server's. It is written on
 * the claim, because that outlives pods, StatefulSet and instance.
 */
export function unrecordedWriters(
  observed: Pick<Observed, "pods" | "claims" | "instance">,
): readonly Written[] {
  return observed.claims.flatMap((claim) => {
    const image = readyImage(observed, claim);
    const isNews = image !== undefined && image !== claim.metadata.annotations?.[imageAnnotation];
    return isNews && claim.metadata.deletionTimestamp === undefined ? [{ claim, image }] : [];
  });
}

/** Why servers of the image that is wanted could not read the data that there is; undefined when they can. */
export function refuseImage(observed: Pick<Observed, "pods" | "claims" | "instance">): Refusal | undefined {
  const { image, redisVersion } = observed.instance.spec;
  const reader = expectedServer(image, redisVersion);
  for (const { claim, image: writer } of writersOf(observed)) {
    const why = whyUnreadable(serverOf(writer), reader);
    if (why === undefined) continue;
    return {
      field: "spec.image",
      message: `is ${image}, but the data of claim ${claim.metadata.name} was written by ${writer}, and ${why}: set it back to ${writer}; to move the data, make another instance and copy the keys`,
    };
  }
  return undefined;
}

/** The image that wrote the data last, when nothing else tells: the first pod's. */
export function lastWriter(observed: Pick<Observed, "pods" | "claims" | "instance">): string | undefined {
  const [first] = writersOf(observed).toSorted((one, other) => ordinalOf(one.claim) - ordinalOf(other.claim));
  return first?.image;
}

function writersOf(observed: Pick<Observed, "pods" | "claims" | "instance">): readonly Written[] {
  return observed.claims
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((claim) => {
      const image = readyImage(observed, claim) ?? claim.metadata.annotations?.[imageAnnotation];
      return image === undefined ? [] : [{ claim, image }];
    });
}

/** A server that is ready has loaded its data, and writes; one that never was may have failed to read them. */
function readyImage(
  { pods, instance }: Pick<Observed, "pods" | "instance">,
  claim: Claim,
): string | undefined {
  const name = `${instance.metadata.name}-${ordinalOf(claim)}`;
  const pod = pods.find(({ metadata }) => metadata.name === name);
  if (!isConditionTrue(pod?.status?.conditions, "Ready")) return undefined;
  return pod?.spec.containers.find((container) => container.name === "redis")?.image;
}
