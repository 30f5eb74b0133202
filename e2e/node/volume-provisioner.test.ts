import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport, type Transport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { isNotFound, seededRandom, silentLogger, VirtualClock } from "@kedge/machinery";
import {
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
} from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { addVolumeProvisioner, createVolumeFolders, plainFolders, type VolumeFolders } from "@kedge/node";
import { localPathClass } from "@kedge/node/local-path-class";
import { createManager } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { describe, expect, it } from "vitest";

// A node's provisioner beside the real API server and controllers, in virtual time, with folders on the disk.

const admin = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };
const selected = { "volume.kubernetes.io/selected-node": "node-1" };
const claimKey = { namespace: "default", name: "data" };

/** Where a provisioner is killed: so many steps into its life, and whether the step is still done. */
interface Death {
  readonly step: number;
  readonly when: "before" | "after";
}

class World implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly client: Client;
  readonly folder: string;
  readonly #api: ReturnType<typeof createApiServer>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  /** What the provisioner did: writes to the API server and to the disk. */
  readonly steps: string[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    const { clock } = this;
    this.#api = createApiServer({
      store: createMemoryStore({ clock }),
      clock,
      random: seededRandom("server"),
    });
    this.client = this.#clientOver(this.#transport());
  }

  static async start(): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), "kedge-provisioner-")));
    const { clock, client } = world;
    await clock.runUntil(world.#api.start());
    await clock.runUntil(client.of(StorageClass).create(localPathClass));
    const manager = createManager({
      client,
      clock,
      random: seededRandom("controllers"),
      name: "controllers",
    });
    addControllers(manager, { clock, logger: silentLogger, authority: "none" });
    world.#running.push(manager.run(world.#stop.signal));
    await clock.runUntil(manager.ready());
    await world.until("the namespace is there", async () => {
      await client.of(Namespace).get({ name: claimKey.namespace });
      return true;
    });
    return world;
  }

  /** A provisioner that dies where it is told to, and another one after it, until the condition holds. */
  async provisionUntil(what: string, isSo: () => Promise<boolean>, death?: Death): Promise<void> {
    if (death !== undefined) await this.live(what, isSo, death);
    await this.live(what, isSo);
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      if (await this.clock.runUntil(isSo())) return;
      await this.clock.runUntil(this.clock.sleep(100));
    }
    throw new Error(`not within a minute: ${what}`);
  }

  /** One life: until the condition holds, or it has died. */
  async live(what: string, isSo: () => Promise<boolean>, death?: Death): Promise<void> {
    const { clock } = this;
    const stop = new AbortController();
    const dead = new Error("the provisioner was killed");
    let steps = 0;
    let isDead = false;
    const step = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
      if (isDead) throw dead;
      const dies = death?.step === steps;
      steps += 1;
      if (dies && death.when === "before") isDead = true;
      else this.steps.push(name);
      if (isDead) throw dead;
      const result = await act();
      if (dies) isDead = true;
      if (isDead) throw dead;
      return result;
    };
    const transport = this.#transport();
    const client = this.#clientOver({
      ...transport,
      request: (request) =>
        request.method === "GET" || request.path.includes("/events")
          ? transport.request(request)
          : step(`${request.method} ${request.path}`, () => transport.request(request)),
    });
    const disk = createVolumeFolders(this.folder, clock, plainFolders);
    const folders: VolumeFolders = {
      path: disk.path,
      make: (name, size) => step("make folder", () => disk.make(name, size)),
      grow: (name, size) => step("grow", () => disk.grow(name, size)),
      remove: (name) => step("remove folder", () => disk.remove(name)),
      removeIfEmpty: (name) => step("remove empty folder", () => disk.removeIfEmpty(name)),
      names: () => disk.names(),
      freeBytes: () => Promise.resolve(10 * 2 ** 30),
    };
    const manager = createManager({ client, clock, random: seededRandom("node"), name: "local-path" });
    addVolumeProvisioner(manager, { nodeNames: ["node-1"], folders });
    const running = manager.run(stop.signal).catch((error: unknown) => {
      if (!isDead) throw error;
    });
    await this.until(what, async () => isDead || (await isSo()));
    stop.abort();
    await clock.runUntil(running);
  }

  #transport(): Transport {
    const { handle, upgrade } = this.#api.doorFor(admin);
    return inProcessTransport(handle, upgrade);
  }

  #clientOver(transport: Transport): Client {
    return new Client(transport, { clock: this.clock, random: seededRandom("client") });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.runUntil(Promise.all(this.#running));
    await this.#api.close();
    await rm(this.folder, { recursive: true });
  }

  claim(
    annotations: Record<string, string> = selected,
    more: Partial<PersistentVolumeClaimSpec> = {},
  ): Promise<PersistentVolumeClaim> {
    return this.clock.runUntil(
      this.client.of(PersistentVolumeClaim).create({
        metadata: { ...claimKey, annotations },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "local-path",
          resources: { requests: { storage: "1Gi" } },
          ...more,
        },
      }),
    );
  }

  async isBound(): Promise<boolean> {
    const { status } = await this.client.of(PersistentVolumeClaim).get(claimKey);
    return status?.phase === "Bound";
  }

  volumes(): Promise<readonly PersistentVolume[]> {
    return this.clock.runUntil(
      this.client
        .of(PersistentVolume)
        .list()
        .all()
        .then(({ items }) => items),
    );
  }

  async isVolumeGone(): Promise<boolean> {
    return (await this.client.of(PersistentVolume).list().all()).items.length === 0;
  }
}

const everyDeath = (steps: number): readonly Death[] =>
  Array.from({ length: steps }, (_none, step) => step).flatMap((step) => [
    { step, when: "before" as const },
    { step, when: "after" as const },
  ]);

describe("a node's provisioner", () => {
  it("makes the folder, then the volume; removes the folder, then the volume", async () => {
    await using world = await World.start();
    const { metadata } = await world.claim();
    await world.provisionUntil("the claim is bound", () => world.isBound());
    expect(await readdir(world.folder)).toEqual([`pvc-${metadata.uid}_default_data`]);
    await world.clock.runUntil(world.client.of(PersistentVolumeClaim).delete(claimKey));
    await world.provisionUntil("the volume is gone", () => world.isVolumeGone());
    expect(await readdir(world.folder)).toEqual([]);
    expect(world.steps).toEqual([
      "make folder",
      "POST /api/v1/persistentvolumes",
      "remove folder",
      `DELETE /api/v1/persistentvolumes/pvc-${metadata.uid}`,
    ]);
  });

  it.each(everyDeath(2))("killed $when step $step of making a volume is made good", async (death) => {
    await using world = await World.start();
    const { metadata } = await world.claim();
    await world.provisionUntil("the claim is bound", () => world.isBound(), death);
    expect(await readdir(world.folder)).toEqual([`pvc-${metadata.uid}_default_data`]);
    const [volume, ...others] = await world.volumes();
    expect(others).toEqual([]);
    expect(volume?.spec?.claimRef?.uid).toBe(metadata.uid);
  });

  it.each(everyDeath(2))("killed $when step $step of deleting a volume is made good", async (death) => {
    await using world = await World.start();
    await world.claim();
    await world.provisionUntil("the claim is bound", () => world.isBound());
    const [folder = ""] = await readdir(world.folder);
    await writeFile(join(world.folder, folder, "dump.rdb"), "data");
    await mkdir(join(world.folder, "somebody-elses"));
    await world.clock.runUntil(world.client.of(PersistentVolumeClaim).delete(claimKey));
    await world.provisionUntil("the volume is gone", () => world.isVolumeGone(), death);
    expect(await readdir(world.folder)).toEqual(["somebody-elses"]);
  });

  it("forgets an empty folder whose claim was deleted meanwhile, and none with data", async () => {
    await using world = await World.start();
    await world.claim();
    await world.live("it is dead", () => Promise.resolve(false), { step: 1, when: "before" });
    await mkdir(join(world.folder, "pvc-gone_default_old"));
    await writeFile(join(world.folder, "pvc-gone_default_old", "kept"), "data");
    await mkdir(join(world.folder, "pvc-empty_default_old"));
    await world.provisionUntil("the claim is bound", () => world.isBound());
    expect((await readdir(world.folder)).filter((name) => name.endsWith("old"))).toEqual([
      "pvc-gone_default_old",
    ]);
  });

  it("is chosen by a claim that waits for no pod", async () => {
    await using world = await World.start();
    const { client, clock } = world;
    await clock.runUntil(client.of(StorageClass).delete({ name: "local-path" }));
    await clock.runUntil(
      client.of(StorageClass).create({ ...localPathClass, volumeBindingMode: "Immediate" }),
    );
    await world.claim({});
    await world.provisionUntil("the claim is bound", () => world.isBound());
    const claim = await clock.runUntil(client.of(PersistentVolumeClaim).get(claimKey));
    expect(claim.metadata.annotations).toEqual({
      ...selected,
      "volume.kubernetes.io/storage-provisioner": "kedge.dev/local-path",
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    });
  });
});

describe("the size of a volume", () => {
  const requesting = (storage: string) => ({ merge: { spec: { resources: { requests: { storage } } } } });
  const notesOf = async (world: World): Promise<readonly string[]> => {
    const { items } = await world.clock.runUntil(world.client.of(Event).list({ namespace: "default" }).all());
    return items.map(({ reason, message }) => `${reason}: ${message}`);
  };

  it.each<[string, Partial<StorageClass>, Partial<PersistentVolumeClaimSpec>, RegExp]>([
    [
      "more than its disk has left",
      {},
      { resources: { requests: { storage: "900Ti" } } },
      /900Ti requested, but the disk of \S+ has 10Gi left: ask for less, or make room$/u,
    ],
    [
      "a block device",
      {},
      { volumeMode: "Block" },
      /volumeMode Block: volumes of this provisioner are folders/u,
    ],
    [
      "a parameter",
      { parameters: { fast: "very" } },
      {},
      /parameters\.fast: this provisioner has the parameter backing only$/u,
    ],
    [
      "another backing",
      { parameters: { backing: "nfs" } },
      {},
      /parameters\.backing is nfs: must be folder or loop$/u,
    ],
    ["options of a mount", { mountOptions: ["ro"] }, {}, /mountOptions: a folder is not mounted/u],
  ])("a claim for %s is refused with the reason, and no folder is made", async (_, more, spec, complaint) => {
    await using world = await World.start();
    const { client, clock } = world;
    await clock.runUntil(client.of(StorageClass).delete({ name: "local-path" }));
    await clock.runUntil(client.of(StorageClass).create({ ...localPathClass, ...more }));
    await world.claim(selected, spec);
    await world.provisionUntil("it is said why", async () =>
      (await client.of(Event).list({ namespace: "default" }).all()).items.some(
        ({ reason }) => reason === "ProvisioningFailed",
      ),
    );
    const note = (await notesOf(world)).find((one) => one.startsWith("ProvisioningFailed"));
    expect(note).toMatch(/^ProvisioningFailed: failed to provision volume with StorageClass "local-path": /u);
    expect(note).toMatch(complaint);
    expect(await readdir(world.folder)).toEqual([]);
  });

  const grown = async ({ client }: World, size: string): Promise<boolean> =>
    (await client.of(PersistentVolumeClaim).get(claimKey)).status?.capacity?.["storage"] === size;

  it("grows with its claim, also when the provisioner is killed at any step of it", async () => {
    for (const death of [undefined, 0, 1, 2].flatMap((step) =>
      step === undefined
        ? [undefined]
        : [
            { step, when: "before" as const },
            { step, when: "after" as const },
          ],
    )) {
      await using world = await World.start();
      const { client, clock } = world;
      await world.claim();
      await world.provisionUntil("the claim is bound", () => world.isBound());
      await clock.runUntil(client.of(PersistentVolumeClaim).patch(claimKey, requesting("2Gi")));
      await world.provisionUntil("the claim has grown", () => grown(world, "2Gi"), death);
      const { metadata, status } = await clock.runUntil(client.of(PersistentVolumeClaim).get(claimKey));
      const volume = await clock.runUntil(client.of(PersistentVolume).get({ name: `pvc-${metadata.uid}` }));
      expect(volume.spec?.capacity).toEqual({ storage: "2Gi" });
      expect([status?.conditions ?? [], status?.allocatedResourceStatuses]).toEqual([[], undefined]);
    }
  });

  it("stays when the disk has no room for more, which the claim says until it asks for less", async () => {
    await using world = await World.start();
    const { client, clock } = world;
    await world.claim();
    await world.provisionUntil("the claim is bound", () => world.isBound());
    await clock.runUntil(client.of(PersistentVolumeClaim).patch(claimKey, requesting("900Ti")));
    await world.provisionUntil("the claim says so", async () => {
      const { status } = await client.of(PersistentVolumeClaim).get(claimKey);
      return status?.allocatedResourceStatuses?.["storage"] === "ControllerResizeInfeasible";
    });
    const { status } = await clock.runUntil(client.of(PersistentVolumeClaim).get(claimKey));
    expect(status?.capacity).toEqual({ storage: "1Gi" });
    expect(status?.conditions).toMatchObject([
      {
        type: "ControllerResizeError",
        status: "True",
        message: expect.stringMatching(/cannot grow from 1Gi to 900Ti: .* has 10Gi left/u) as unknown,
      },
    ]);
    expect((await notesOf(world)).some((note) => note.startsWith("VolumeResizeFailed: "))).toBe(true);
    await clock.runUntil(client.of(PersistentVolumeClaim).patch(claimKey, requesting("3Gi")));
    await world.provisionUntil("the claim has grown", () => grown(world, "3Gi"));
  });
});

describe("what version 0.1.0 left, whose controllers made volumes themselves,", () => {
  /** As it wrote it. */
  const volumeOf = (claim: PersistentVolumeClaim, path: string) => ({
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: {
        "pv.kubernetes.io/provisioned-by": "kedge.dev/local-path",
        "pv.kubernetes.io/bound-by-controller": "yes",
      },
    },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "local-path",
      volumeMode: "Filesystem",
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        ...claimKey,
        uid: claim.metadata.uid,
      },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] }] },
          ],
        },
      },
    },
  });

  it("a bound volume keeps its data while it is claimed, and goes with its claim", async () => {
    await using world = await World.start();
    const { client, clock } = world;
    const claim = await world.claim();
    const path = join(world.folder, `pvc-${claim.metadata.uid}_default_data`);
    await mkdir(path);
    await writeFile(join(path, "dump.rdb"), "data");
    await clock.runUntil(client.of(PersistentVolume).create(volumeOf(claim, path)));
    const annotations = {
      "volume.kubernetes.io/storage-provisioner": "kedge.dev/local-path",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "pv.kubernetes.io/bind-completed": "yes",
    };
    const merge = { metadata: { annotations }, spec: { volumeName: `pvc-${claim.metadata.uid}` } };
    await clock.runUntil(client.of(PersistentVolumeClaim).patch(claimKey, { merge }));
    await world.provisionUntil("the claim is bound", () => world.isBound());
    expect(world.steps).toEqual([]);
    expect(await readFile(join(path, "dump.rdb"), "utf8")).toBe("data");
    await clock.runUntil(client.of(PersistentVolumeClaim).delete(claimKey));
    await world.provisionUntil("the volume is gone", () => world.isVolumeGone());
    expect(await readdir(world.folder)).toEqual([]);
    await expect(clock.runUntil(client.of(PersistentVolumeClaim).get(claimKey))).rejects.toSatisfy(
      isNotFound,
    );
  });

  it.each(["folder", "volume"])("half a volume, up to its %s, becomes a whole one", async (last) => {
    await using world = await World.start();
    const { client, clock } = world;
    const claim = await world.claim();
    const path = join(world.folder, `pvc-${claim.metadata.uid}_default_data`);
    await mkdir(path);
    if (last === "volume") await clock.runUntil(client.of(PersistentVolume).create(volumeOf(claim, path)));
    await world.provisionUntil("the claim is bound", () => world.isBound());
    expect((await world.volumes()).map(({ spec }) => spec?.local?.path)).toEqual([path]);
  });
});
