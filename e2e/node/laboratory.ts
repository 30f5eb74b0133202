import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir, homedir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { realClock, silentLogger } from "@kedge/machinery";
import {
  cleanUp,
  createImageStore,
  createPackageCache,
  createRuncRuntime,
  findPrograms,
  type ContainerInfo,
  type ContainerRuntime,
  type ContainerSpec,
  type ImageStore,
  type NodePrograms,
} from "@kedge/node";

/** A container to be made: what a test does not say is the plainest. */
export type ContainerWish = Partial<Omit<ContainerSpec, "image">> & { readonly image?: string };

/** A folder with a container runtime, images, and short ways to use both. */
export interface Laboratory extends AsyncDisposable {
  readonly folder: string;
  readonly cgroupParent: string;
  readonly programs: NodePrograms;
  readonly images: ImageStore;
  readonly runtime: ContainerRuntime;
  /** Closes the runtime and opens another one on the same folder: what a restart of the agent does. */
  restart(): Promise<void>;
  /** Makes and starts a container; gives back its id. */
  run(wish: ContainerWish): Promise<string>;
  create(wish: ContainerWish): Promise<string>;
  /** Waits until it has ended. */
  ended(id: string): Promise<ContainerInfo>;
  /** Its output without times: `stdout F hello`. */
  log(id: string): Promise<string>;
  /** Runs a command in it to its end. */
  exec(id: string, ...command: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

let laboratories = 0;

/** Opens a laboratory in a folder of its own; packages come from Kedge's cache, as for users. */
export async function openLaboratory(): Promise<Laboratory> {
  const clock = realClock;
  const logger = silentLogger;
  const path = process.env["PATH"] ?? "";
  const cache = createPackageCache({ folder: cacheFolder(), clock, logger, path });
  const programs = await findPrograms({ cache, clock, path });
  const images = createImageStore({ cache, clock, logger });
  const folder = await mkdtemp(join(tmpdir(), "kedge-containers-"));
  const cgroupParent = basename(folder);
  const options = { folder: join(folder, "runtime"), programs, clock, logger, cgroupParent };
  let runtime = await createRuncRuntime(options);
  let containers = 0;
  laboratories += 1;
  const name = `lab${laboratories}`;
  const logPath = (id: string): string => join(folder, "logs", `${id}.log`);
  await mkdir(join(folder, "logs"));

  const create = async (wish: ContainerWish): Promise<string> => {
    const image = await images.resolve(wish.image ?? "busybox:1.35");
    const id = wish.id ?? `${name}-${(containers += 1)}`;
    await runtime.create({
      labels: {},
      command: [...image.entrypoint, ...image.command],
      environment: image.environment,
      workingDirectory: image.workingDirectory,
      user: { uid: 0, gid: 0, additionalGids: [] },
      hostname: "pod-0",
      mounts: [],
      networkNamespace: undefined,
      podUid: "pod-uid",
      resources: {},
      privileged: false,
      readOnlyRootFilesystem: false,
      noNewPrivileges: false,
      capabilities: { add: [], drop: [] },
      tty: false,
      logPath: logPath(id),
      ...wish,
      id,
      image,
    });
    return id;
  };

  return {
    folder,
    cgroupParent,
    programs,
    images,
    get runtime() {
      return runtime;
    },
    async restart() {
      await runtime.close();
      runtime = await createRuncRuntime(options);
    },
    create,
    async run(wish) {
      const id = await create(wish);
      await runtime.start(id);
      return id;
    },
    async ended(id) {
      const { promise, resolve } = Promise.withResolvers<ContainerInfo>();
      const stop = runtime.onExit((container) => {
        if (container.id === id) resolve(container);
      });
      using limit = clock.deadline(120_000);
      limit.signal.addEventListener("abort", () => resolve({ id, labels: {}, state: "running" }));
      const container = await promise;
      stop();
      if (container.state !== "exited") throw new Error(`${id} did not end within 120 s`);
      return container;
    },
    async log(id) {
      const lines = await readFile(logPath(id), "utf8");
      return lines.replaceAll(/^\d{4}-\d\d-\d\dT\S+ /gmu, "");
    },
    async exec(id, ...command) {
      const process = await runtime.exec(id, { command, tty: false });
      process.stdin.end();
      const [stdout, stderr, { exitCode }] = await Promise.all([
        text(process.stdout),
        text(process.stderr),
        process.exit,
      ]);
      return { code: exitCode, stdout, stderr };
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      await cleanUp(options);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As the launcher finds it. */
export function cacheFolder(): string {
  return (
    process.env["KEDGE_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "kedge")
  );
}
