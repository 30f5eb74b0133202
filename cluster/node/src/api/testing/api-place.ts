import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { realClock, realRandom, silentLogger } from "@kedge/machinery";
import { createAuthority, type CertificateWithKey } from "@kedge/pki";
import { labelsOf } from "../../pod/labels.ts";
import { podFolder } from "../../pod/pod-folder.ts";
import type { ContainerRuntime, ExecProcess } from "../../runtime/types.ts";
import { createSimulatedRuntime } from "../../simulated/simulated-runtime.ts";
import type { NodeUsage } from "../../stats/usage-sampler.ts";
import { containerNamed, podOf } from "../../testing/pods.ts";
import { serveNodeApi, type NodeApi } from "../node-api.ts";

/** The only pod there is; its container `app` takes input. */
const pod = podOf({ spec: { containers: [containerNamed("app", { stdin: true })] } });

/** The path of its container. */
export const at = "default/web-0/app";

/** A node's API with one simulated pod, and the certificates of those who call. */
export interface ApiPlace extends AsyncDisposable {
  readonly api: NodeApi;
  readonly ca: string;
  readonly client: CertificateWithKey;
  /** Of another authority. */
  readonly stranger: CertificateWithKey;
  readonly bob: CertificateWithKey;
}

/** Opens it. */
export async function openApiPlace(): Promise<ApiPlace> {
  const options = { clock: realClock, random: realRandom };
  const authority = await createAuthority({ name: "test-ca", ...options });
  const other = await createAuthority({ name: "test-ca", ...options });
  const folder = await mkdtemp(join(tmpdir(), "kedge-api-"));
  const log = podFolder(folder, pod.metadata.uid).logOf("app", 1);
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, "2026-01-01T00:00:01Z stdout F one\n2026-01-01T00:00:02Z stdout F two\n");
  const api = await serveNodeApi(
    {
      clock: realClock,
      logger: silentLogger,
      runtime: await simulated(),
      folder,
      nodeName: "node-1",
      usage: () => used,
      networkOf: () => Promise.resolve(undefined),
      pods: () => [pod],
      health: () => undefined,
    },
    {
      host: "127.0.0.1",
      port: 0,
      serving: await authority.issueServing({ name: "node", hosts: ["127.0.0.1"] }),
      clientAuthority: authority.certificate,
      clientName: "apiserver",
    },
  );
  return {
    api,
    ca: authority.certificate,
    client: await authority.issueClient({ user: "apiserver" }),
    bob: await authority.issueClient({ user: "bob", groups: ["system:masters"] }),
    stranger: await other.issueClient({ user: "apiserver" }),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What its container uses. */
const used: NodeUsage = {
  node: {
    time: 1_800_000_000_000,
    cpuNanocores: 2e9,
    cpuNanoseconds: 5e12,
    workingSetBytes: 2 ** 30,
    windowMs: 10_000,
  },
  containers: [
    {
      container: {
        id: "one",
        labels: labelsOf(pod, { name: "app", attempt: 1, image: "app:1", imageId: "sha256:app" }),
        state: "running",
        startedAt: 1_799_999_000_000,
      },
      usage: {
        time: 1_800_000_000_000,
        cpuNanocores: 25e7,
        cpuNanoseconds: 3e9,
        workingSetBytes: 4096,
        windowMs: 10_000,
      },
    },
  ],
};

/** `cat` that ends with the code that it is given as its argument, and tells the sizes that it hears of. */
function cat(command: readonly string[]): ExecProcess {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const ended = Promise.withResolvers<{ exitCode: number }>();
  stdin.pipe(stdout);
  stdin.once("end", () => ended.resolve({ exitCode: Number(command[1] ?? 0) }));
  const stderr = new PassThrough();
  stderr.end("warned");
  return {
    stdin,
    stdout,
    stderr,
    exit: ended.promise,
    resize: ({ columns, rows }) => Promise.resolve(void stdout.write(`[${columns}x${rows}]`)),
    kill: () => ended.resolve({ exitCode: 137 }),
  };
}

async function simulated(): Promise<ContainerRuntime> {
  const runtime = createSimulatedRuntime({ clock: realClock });
  const labels = labelsOf(pod, { name: "app", attempt: 1, image: "app:1", imageId: "sha256:app" });
  await runtime.create({ id: "one", labels } as never);
  await runtime.start("one");
  return { ...runtime, exec: (_id, { command }) => Promise.resolve(cat(command)) };
}
