import {
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  clone,
  storageProvisionerAnnotation,
  withTypeMeta,
  type DeepReadonly,
  type ObjectKey,
} from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import {
  defineController,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
} from "@kedge/runtime";
import { hasEnded } from "../pods/pod-state.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { claimProtection } from "./names.ts";
import { planClaim, type ClaimStep } from "./plan-claim.ts";

type Context = ReconcileContext<PersistentVolumeClaim>;
type Claim = DeepReadonly<PersistentVolumeClaim>;

/** Binds claims to volumes, asks provisioners for new ones, and keeps claims that pods use. */
export function claimController(): Controller {
  return defineController({
    name: "persistentvolume-binder",
    reporter: "persistentvolume-controller",
    for: PersistentVolumeClaim,
    watches: [
      watches(PersistentVolume, claimsFor),
      watches(Pod, claimsOf),
      watches(StorageClass, ({ metadata }, _previous, host) =>
        host.informers
          .of(PersistentVolumeClaim)
          .list()
          .filter(({ spec }) => spec?.storageClassName === metadata.name)
          .map((claim) => claim.metadata),
      ),
    ],
    reconcile: async (context) => {
      const claim = context.object;
      if (claim === undefined) return undefined;
      if (claim.metadata.deletionTimestamp !== undefined) await release(context, claim);
      else await act(context, claim, planFor(context, claim));
      return undefined;
    },
  });
}

/** The claim that a volume is for; while it is free, all claims that wait. */
function claimsFor(
  { spec }: DeepReadonly<PersistentVolume>,
  _previous: unknown,
  host: ControllerHost,
): readonly ObjectKey[] {
  const { namespace, name } = spec?.claimRef ?? {};
  if (namespace !== undefined && name !== undefined) return [{ namespace, name }];
  return host.informers
    .of(PersistentVolumeClaim)
    .list()
    .filter((claim) => claim.spec?.volumeName === undefined)
    .map(({ metadata }) => metadata);
}

function claimsOf(pod: DeepReadonly<Pod>): readonly { namespace: string; name: string }[] {
  return (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined
      ? []
      : [{ namespace: pod.metadata.namespace, name: persistentVolumeClaim.claimName }],
  );
}

function planFor(context: Context, claim: Claim): ClaimStep {
  const className = claim.spec?.storageClassName;
  return planClaim({
    claim,
    volumes: context.read(PersistentVolume).list(),
    storageClass: className === undefined ? undefined : context.read(StorageClass).get({ name: className }),
    unplaced: podsOf(context, claim)
      .filter((pod) => !isPlaced(pod))
      .map(({ metadata }) => metadata.name),
  });
}

async function act(context: Context, claim: Claim, step: ClaimStep): Promise<void> {
  const { events } = context;
  const subject = withTypeMeta(PersistentVolumeClaim, claim);
  switch (step.type) {
    case "wait":
      if (step.note !== undefined) events.record(subject, step.note);
      if (claim.status?.phase === undefined) await setPhase(context, claim, "Pending");
      return;
    case "lost":
      events.record(subject, {
        type: "Warning",
        reason: "ClaimLost",
        message: "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
      });
      await setPhase(context, claim, "Lost");
      return;
    case "provision":
      await annotate(context, claim, { [storageProvisionerAnnotation]: step.provisioner });
      return;
    case "bind":
      await bind(context, claim, step.volume);
      return;
    case "complete":
      await complete(context, claim, step.volume);
  }
}

/** Without a resourceVersion: what else changes in the claim meanwhile does not matter for it. */
async function annotate(context: Context, { metadata }: Claim, annotations: object): Promise<void> {
  const { uid } = metadata;
  await context.client
    .of(PersistentVolumeClaim)
    .patch(metadata, { merge: { metadata: { uid, annotations } } });
}

/** The volume's side first: it decides who gets the volume. */
async function bind(context: Context, claim: Claim, volume: DeepReadonly<PersistentVolume>): Promise<void> {
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid) await claimVolume(context, claim, volume);
  const named = (claim.spec?.volumeName ?? "") !== "";
  await point(context, claim, volume.metadata.name, named ? {} : { [boundByControllerAnnotation]: "yes" });
}

async function claimVolume(
  context: Context,
  claim: Claim,
  volume: DeepReadonly<PersistentVolume>,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const claimRef = {
    apiVersion: "v1",
    kind: PersistentVolumeClaim.kind,
    namespace,
    name,
    uid,
    resourceVersion,
  };
  await context.client.of(PersistentVolume).patch(
    { name: volume.metadata.name },
    {
      merge: {
        metadata: {
          resourceVersion: volume.metadata.resourceVersion,
          // What was set aside for the claim by a person was not our choice.
          ...(volume.spec?.claimRef === undefined
            ? { annotations: { [boundByControllerAnnotation]: "yes" } }
            : {}),
        },
        spec: { claimRef },
      },
    },
  );
}

async function point(context: Context, claim: Claim, volumeName: string, annotations: object): Promise<void> {
  await context.client.of(PersistentVolumeClaim).patch(claim.metadata, {
    merge: {
      metadata: {
        uid: claim.metadata.uid,
        annotations: { [bindCompletedAnnotation]: "yes", ...annotations },
      },
      spec: { volumeName },
    },
  });
}

async function complete(
  context: Context,
  claim: Claim,
  volume: DeepReadonly<PersistentVolume>,
): Promise<void> {
  const { accessModes, capacity } = volume.spec ?? {};
  const status = clone(claim.status ?? {});
  await writeStatusAsUpdate(context.client.of(PersistentVolumeClaim).status, claim, {
    ...status,
    phase: "Bound",
    accessModes: [...(accessModes ?? [])],
    // Of a claim that is bound, who resizes it tells the capacity: the volume may be ahead of its file system.
    capacity: (status.phase === "Bound" ? status.capacity : undefined) ?? clone(capacity ?? {}),
  });
}

async function setPhase(context: Context, claim: Claim, phase: string): Promise<void> {
  const status = { ...clone(claim.status ?? {}), phase };
  await writeStatusAsUpdate(context.client.of(PersistentVolumeClaim).status, claim, status);
}

/** Lets a claim go when no pod uses it any more. */
async function release(context: Context, claim: Claim): Promise<void> {
  const { uid, resourceVersion, finalizers = [] } = claim.metadata;
  if (!finalizers.includes(claimProtection)) return;
  if (podsOf(context, claim).some(isPlaced) || (await isUsedNow(context, claim))) return;
  const left = finalizers.filter((finalizer) => finalizer !== claimProtection);
  await context.client
    .of(PersistentVolumeClaim)
    .patch(claim.metadata, { merge: { metadata: { uid, resourceVersion, finalizers: left } } });
}

/** A pod that has no node will not get a claim that is being deleted; one that has may use it. */
function isPlaced({ spec }: DeepReadonly<Pod>): boolean {
  return (spec.nodeName ?? "") !== "";
}

/** By the server, before anything is let go: data hangs on it. */
async function isUsedNow({ client }: Context, { metadata }: Claim): Promise<boolean> {
  const { items } = await client.of(Pod).list({ namespace: metadata.namespace }).all();
  return items.some(
    (pod) => isPlaced(pod) && !hasEnded(pod) && claimsOf(pod).some(({ name }) => name === metadata.name),
  );
}

/** The pods that want a claim and have not ended. */
function podsOf(context: Context, { metadata }: Claim): readonly DeepReadonly<Pod>[] {
  const { namespace, name } = metadata;
  return context
    .read(Pod)
    .list({ namespace })
    .filter((pod) => !hasEnded(pod) && claimsOf(pod).some((one) => one.name === name));
}
