import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { buildImage, dockerArchive } from "@kedge/node/testing/oci-image";
import { loadAuthority } from "@kedge/pki";
import { kubeconfigText } from "../../real/kubeconfig.ts";
import type { Oracle } from "../../real/oracle.ts";
import { kubeletModule, moduleCache } from "../../real/programs.ts";
import { openRelay } from "../../real/room/relay.ts";
import { openRoom, type Room } from "../../real/room/room.ts";
import { until } from "../../real/wait.ts";
import { makeCgroup } from "./cgroups.ts";
import { containerdConfig, images, kernelSettings, kubeletConfig, networkConfig } from "./configs.ts";
import { fetchPackages, type NodePackages } from "./packages.ts";

/** The name that the kubelet gives its node. */
export const nodeName = "real-node";

/** The user with whose certificate it asks for its own. */
export const bootstrapper = { user: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };

/** A kubelet with its containerd, in a room. */
export interface KubeletNode extends AsyncDisposable {
  readonly address: string;
  /** The beginning of its pods' addresses. */
  readonly podNetwork: string;
  /** What it finds in this folder it runs, whatever the API server says. */
  readonly staticPods: string;
  /** Throws, with the end of its log, as soon as a program has ended. */
  throwIfEnded(): Promise<void>;
  /** All that the kubelet has logged. */
  log(): Promise<string>;
  /** The containers that containerd still has. */
  containers(): Promise<string>;
}

/** Starts the programs. The kubelet has to ask the API server for its certificates first. */
export async function startKubelet(oracle: Oracle): Promise<KubeletNode> {
  const packages = await fetchPackages();
  await using stack = new AsyncDisposableStack();
  // Before the room, to go after it: then nobody is in it any more.
  const cgroup = stack.use(await makeCgroup());
  const room = stack.use(await openRoom());
  const relay = stack.use(await openRelay(room.gateway, Number(new URL(oracle.url).port)));
  await furnish(room);
  await startContainerd(room, packages);
  await importImages(room, packages);
  const kubeconfig = await bootstrapConfig(oracle, `https://${room.gateway}:${relay.port}`);
  await writeFile(join(room.folder, "bootstrap.kubeconfig"), kubeconfig, { mode: 0o600 });
  await startProgram(room, oracle, `/${cgroup.name}`);
  const kept = stack.move();
  return {
    address: room.address,
    podNetwork: podNetworkOf(room),
    staticPods: join(room.folder, "static-pods"),
    throwIfEnded: () => room.throwIfEnded(),
    log: () => readFile(join(room.folder, "kubelet.log"), "utf8"),
    containers: () => ctr(room, packages, "containers", "list", "--quiet"),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** What the programs write outside of their folders goes with the room; the kernel's settings are only shown. */
async function furnish(room: Room): Promise<void> {
  for (const place of ["/run", "/opt", "/var/log", "/mnt"])
    await room.run("mount", "-t", "tmpfs", "tmpfs", place);
  for (const [name, value] of Object.entries(kernelSettings)) {
    const file = join(room.folder, name.replaceAll("/", "-"));
    await writeFile(file, `${value}\n`);
    await room.run("mount", "--bind", file, `/proc/sys/${name}`);
  }
}

function podNetworkOf({ address }: Room): string {
  return `${address.split(".").slice(0, 2).join(".")}.254.`;
}

async function startContainerd(room: Room, packages: NodePackages): Promise<void> {
  const { folder } = room;
  await mkdir(join(folder, "cni"));
  await writeFile(join(folder, "cni/room.conflist"), networkConfig(`${podNetworkOf(room)}0/24`));
  await writeFile(join(folder, "containerd.toml"), containerdConfig(folder, packages));
  await room.start({
    name: "containerd",
    // It looks for its shim where programs are.
    program: "env",
    args: [
      `PATH=${packages.containerd}:${process.env["PATH"] ?? ""}`,
      "containerd",
      "--config",
      join(folder, "containerd.toml"),
    ],
  });
  await until("containerd answers", async () => {
    await room.throwIfEnded();
    return await ctr(room, packages, "version").then(
      () => true,
      () => false,
    );
  });
}

function ctr(room: Room, { containerd }: NodePackages, ...args: readonly string[]): Promise<string> {
  return room.run(join(containerd, "ctr"), "--timeout", "5s", "--namespace", "k8s.io", ...args);
}

async function importImages(room: Room, packages: NodePackages): Promise<void> {
  const layers = [
    [
      { name: "bin/busybox", content: packages.busybox, mode: 0o755 },
      ...["sh", "cat", "echo", "env", "nc", "sleep", "stat", "trap"].map(
        (name) => ({ name: `bin/${name}`, type: "symlink", linkName: "busybox" }) as const,
      ),
    ],
  ];
  const pause = buildImage({ layers, config: { Env: ["PATH=/bin"], Entrypoint: ["sleep", "2147483647"] } });
  const shell = buildImage({ layers, config: { Env: ["PATH=/bin"], Cmd: ["sh"] } });
  const archive = dockerArchive([
    { image: pause, tags: [images.pause] },
    { image: shell, tags: [images.shell] },
  ]);
  const file = join(room.folder, "images.tar");
  await writeFile(file, archive);
  await ctr(room, packages, "images", "import", file);
}

/** Who may only ask for a certificate. */
async function bootstrapConfig(oracle: Oracle, url: string): Promise<string> {
  const read = (name: string): Promise<string> => readFile(join(oracle.folder, name), "utf8");
  const ca = await loadAuthority(
    { certificate: await read("ca.crt"), key: await read("ca.key") },
    { clock, random },
  );
  const user = await ca.issueClient(bootstrapper);
  return kubeconfigText({ url, ca: ca.certificate, user, serverName: "localhost" });
}

async function startProgram(room: Room, oracle: Oracle, cgroupRoot: string): Promise<void> {
  const { folder, address } = room;
  const clientAuthority = join(oracle.folder, "ca.crt");
  const config = kubeletConfig({ folder, address, cgroupRoot, clientAuthority });
  await writeFile(join(folder, "kubelet.json"), config);
  await mkdir(join(folder, "static-pods"));
  await room.start({
    name: "kubelet",
    program: join(moduleCache(kubeletModule(), process.env), "kubelet"),
    args: [
      `--config=${folder}/kubelet.json`,
      `--bootstrap-kubeconfig=${folder}/bootstrap.kubeconfig`,
      `--kubeconfig=${folder}/kubelet.kubeconfig`,
      `--cert-dir=${folder}/pki`,
      `--root-dir=${folder}/kubelet`,
      `--hostname-override=${nodeName}`,
      `--node-ip=${address}`,
    ],
  });
}
