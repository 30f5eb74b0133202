import { selectedNodeAnnotation, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { Informer } from "@kedge/runtime";
import type { Claim, Volume, VolumeCatalog, VolumePlan } from "./volume-catalog.ts";

/** The caches that volumes are looked up in. */
export interface VolumeInformers {
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly classes: Informer<StorageClass>;
}

const byClass = "scheduler-class";

/**
 * Claims and volumes as the caches show them, with what was promised to pods that are being bound: until the server has
 * been told, no other pod gets the same volume, or has the same claim placed elsewhere.
 */
export class AssumedVolumes implements VolumeCatalog {
  readonly #informers: VolumeInformers;
  readonly #claims = new Map<string, Claim>();
  readonly #volumes = new Map<string, Volume>();

  constructor(informers: VolumeInformers) {
    this.#informers = informers;
    informers.volumes.addIndex(byClass, ({ spec }) => [spec?.storageClassName ?? ""]);
  }

  claim(namespace: string, name: string): Claim | undefined {
    const current = this.#informers.claims.get({ namespace, name });
    return newest(current, this.#claims.get(`${namespace}/${name}`));
  }

  volume(name: string): Volume | undefined {
    return newest(this.#informers.volumes.get({ name }), this.#volumes.get(name));
  }

  *volumesOfClass(name: string): Iterable<Volume> {
    for (const volume of this.#informers.volumes.byIndex(byClass, name)) {
      yield this.#volumes.get(volume.metadata.name) ?? volume;
    }
  }

  storageClass(name: string): DeepReadonly<StorageClass> | undefined {
    return name === "" ? undefined : this.#informers.classes.get({ name });
  }

  /** Promises what a plan says. The result takes it back; call it when the server was told, too. */
  assume({ bindings, provisions }: VolumePlan, node: string): () => void {
    const claims = provisions.map((claim): readonly [string, Claim] => [keyOf(claim), placedOn(claim, node)]);
    const volumes = bindings.map(({ claim, volume }): readonly [string, Volume] => [
      volume.metadata.name,
      reservedFor(volume, claim),
    ]);
    for (const [key, claim] of claims) this.#claims.set(key, claim);
    for (const [name, volume] of volumes) this.#volumes.set(name, volume);
    return () => {
      for (const [key, claim] of claims) if (this.#claims.get(key) === claim) this.#claims.delete(key);
      for (const [name, volume] of volumes)
        if (this.#volumes.get(name) === volume) this.#volumes.delete(name);
    };
  }
}

/** What is promised counts for the version it was promised of. */
function newest<T extends Claim | Volume>(current: T | undefined, assumed: T | undefined): T | undefined {
  if (assumed === undefined || current === undefined) return current;
  return current.metadata.resourceVersion === assumed.metadata.resourceVersion ? assumed : current;
}

function keyOf({ metadata }: Claim): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function placedOn(claim: Claim, node: string): Claim {
  const annotations = { ...claim.metadata.annotations, [selectedNodeAnnotation]: node };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}

function reservedFor(volume: Volume, { metadata }: Claim): Volume {
  const { namespace, name, uid } = metadata;
  return { ...volume, spec: { ...volume.spec, claimRef: { namespace, name, uid } } };
}
