import type { DeepReadonly } from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { VolumeAttributesClass } from "@kedge/machinery/kinds/storage/v1";
import { defineController, watches, type Controller, type ReconcileContext } from "@kedge/runtime";
import { attributesClassProtection } from "./names.ts";

/** Lets a VolumeAttributesClass go when no claim and no volume names it any more. */
export function attributesClassController(): Controller {
  return defineController({
    name: "volumeattributesclass-protection-controller",
    for: VolumeAttributesClass,
    when: ({ metadata }) => metadata.deletionTimestamp !== undefined,
    watches: [
      watches(PersistentVolumeClaim, (claim, previous) =>
        [...classesOf(claim), ...(previous === undefined ? [] : classesOf(previous))].map((name) => ({
          name,
        })),
      ),
      watches(PersistentVolume, ({ spec }, previous) =>
        [spec?.volumeAttributesClassName, previous?.spec?.volumeAttributesClassName].flatMap((name) =>
          name === undefined ? [] : [{ name }],
        ),
      ),
    ],
    reconcile,
  });
}

async function reconcile(context: ReconcileContext<VolumeAttributesClass>): Promise<undefined> {
  const { object, client } = context;
  if (object?.metadata.deletionTimestamp === undefined) return undefined;
  const { name, finalizers = [] } = object.metadata;
  if (!finalizers.includes(attributesClassProtection)) return undefined;
  const names = ({ spec }: DeepReadonly<PersistentVolume>): boolean =>
    spec?.volumeAttributesClassName === name;
  const volumes = context.read(PersistentVolume).list();
  if (volumes.some(names)) return undefined;
  // By the server: a claim that was made a moment ago is not in the cache yet.
  const { items: claims } = await client.of(PersistentVolumeClaim).list().all();
  if (claims.some((claim) => classesOf(claim).includes(name))) return undefined;
  const left = finalizers.filter((finalizer) => finalizer !== attributesClassProtection);
  // Without managedFields the server keeps its own.
  const metadata = { ...object.metadata, managedFields: undefined, finalizers: left };
  await client.of(VolumeAttributesClass).replace({ ...object, metadata });
  return undefined;
}

function classesOf({ spec, status }: DeepReadonly<PersistentVolumeClaim>): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.flatMap((name) => name ?? []);
}
