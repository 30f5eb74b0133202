import type { NodePackages } from "./packages.ts";

/** What runs on the node is from here: nothing is pulled. */
export const images = { pause: "kedge.dev/pause:1", shell: "kedge.dev/shell:1" };

/** containerd's own file, in TOML. Its folders are the room's. */
export function containerdConfig(folder: string, { runc, cni }: NodePackages): string {
  const cri = (part: string): string => `plugins."io.containerd.cri.v1.${part}"`;
  return `version = 3
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[${cri("images")}.pinned_images]
  sandbox = "${images.pause}"
[${cri("runtime")}]
  # Where root may not make a process safer from the kernel than itself.
  restrict_oom_score_adj = true
[${cri("runtime")}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${cri("runtime")}.containerd.runtimes.runc.options]
  BinaryName = "${runc}"
[${cri("runtime")}.cni]
  bin_dirs = ["${cni}"]
  conf_dir = "${folder}/cni"
`;
}

/** Each pod gets a cable to the room, and an address of this range. */
export function networkConfig(range: string): string {
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "room",
    plugins: [
      {
        type: "ptp",
        ipam: { type: "host-local", dataDir: "/run/cni", ranges: [[{ subnet: range }]] },
      },
    ],
  });
}

/** What the kubelet is told. */
export interface KubeletSettings {
  readonly folder: string;
  readonly address: string;
  readonly cgroupRoot: string;
  readonly clientAuthority: string;
}

/** As kubeadm sets it up, on a machine with the old cgroups. */
export function kubeletConfig({ folder, address, cgroupRoot, clientAuthority }: KubeletSettings): string {
  return JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: clientAuthority },
    },
    authorization: { mode: "Webhook" },
    serverTLSBootstrap: true,
    rotateCertificates: true,
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: "cgroupfs",
    cgroupRoot,
    // The machine's settings stay as they are: what the kubelet wishes for, the room pretends.
    protectKernelDefaults: true,
    clusterDomain: "cluster.local",
    clusterDNS: ["10.96.0.10"],
    staticPodPath: `${folder}/static-pods`,
    fileCheckFrequency: "1s",
    podLogsDir: `${folder}/pod-logs`,
    volumePluginDir: `${folder}/volume-plugins`,
    nodeStatusUpdateFrequency: "5s",
    // How soon it sees that the API server has lost what it runs from a file.
    syncFrequency: "5s",
    // Machines that run tests have full disks.
    evictionHard: { "memory.available": "1Mi", "nodefs.available": "1Mi", "imagefs.available": "1Mi" },
    imageGCHighThresholdPercent: 100,
  });
}

/** The settings of the kernel that the kubelet insists on, by their files. */
export const kernelSettings: Readonly<Record<string, string>> = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
};
