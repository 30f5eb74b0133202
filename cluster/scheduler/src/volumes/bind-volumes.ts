import { boundByControllerAnnotation, selectedNodeAnnotation, type Clock } from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { ControllerHost, Informer } from "@kedge/runtime";
import { isBound } from "./pod-claims.ts";
import type { Claim, VolumePlan } from "./volume-catalog.ts";

/** So long a pod waits for its volumes before it is placed anew. */
const longestWait = 600_000;

/** What binding takes. */
export interface VolumeBinder {
  readonly client: ControllerHost["client"];
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly clock: Clock;
}

/** Tells the server which volumes are whose, and where others are to be made. */
export async function writeVolumePlan(
  { client }: VolumeBinder,
  { bindings, provisions }: VolumePlan,
  node: string,
): Promise<void> {
  for (const { claim, volume } of bindings) {
    const { namespace, name, uid, resourceVersion } = claim.metadata;
    const claimRef = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      namespace,
      name,
      uid,
      resourceVersion,
    };
    // One that a person has reserved for the claim stays theirs.
    const isOurs = volume.spec?.claimRef === undefined;
    await client.of(PersistentVolume).patch(
      { name: volume.metadata.name },
      {
        merge: {
          metadata: {
            resourceVersion: volume.metadata.resourceVersion,
            ...(isOurs && { annotations: { [boundByControllerAnnotation]: "yes" } }),
          },
          spec: { claimRef },
        },
      },
    );
  }
  for (const { metadata } of provisions) {
    if (metadata.annotations?.[selectedNodeAnnotation] === node) continue;
    await client.of(PersistentVolumeClaim).patch(keyOf(metadata), {
      merge: { metadata: { uid: metadata.uid, annotations: { [selectedNodeAnnotation]: node } } },
    });
  }
}

/** Waits until all claims of a plan have their volumes. Throws when that will not come to be. */
export async function volumesBound(
  { claims, clock }: VolumeBinder,
  { bindings, provisions }: VolumePlan,
  { node, signal }: { readonly node: string; readonly signal: AbortSignal },
): Promise<void> {
  const waiting = [...bindings.map(({ claim }) => claim), ...provisions];
  const isDone = (): boolean =>
    waiting.every((claim) => isBoundNow(claims, claim, provisions.includes(claim), node));
  if (isDone()) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  using deadline = clock.deadline(longestWait, signal);
  deadline.signal.addEventListener("abort", () => reject(new Error("context deadline exceeded")), {
    once: true,
  });
  const look = (): void => {
    try {
      if (isDone()) resolve();
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const end = claims.onEvent(look);
  try {
    await promise;
  } finally {
    end();
  }
}

function isBoundNow(
  claims: VolumeBinder["claims"],
  claim: Claim,
  isProvisioned: boolean,
  node: string,
): boolean {
  const { namespace, name, uid } = claim.metadata;
  const current = claims.get(keyOf(claim.metadata));
  if (current?.metadata.uid !== uid) {
    throw new Error(
      `failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "${namespace}/${name}"`,
    );
  }
  if (isBound(current)) return true;
  // A provisioner that cannot make it there takes the node away.
  if (isProvisioned && current.metadata.annotations?.[selectedNodeAnnotation] !== node) {
    throw new Error(`provisioning failed for PVC "${name}"`);
  }
  return false;
}

function keyOf({ namespace, name }: Claim["metadata"]): {
  readonly namespace: string;
  readonly name: string;
} {
  return { namespace: namespace ?? "", name };
}
