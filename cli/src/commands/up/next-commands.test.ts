import { expect, it } from "vitest";
import { clusterFolder } from "../../cluster/cluster-folder.ts";
import { nextCommands, type NextCommandsOptions } from "./next-commands.ts";

const settings = {
  id: "abc123",
  podRange: "10.244.0.0/16",
  serviceRange: "10.96.0.0/16",
  domain: "cluster.local",
  port: 6443,
  nodes: [],
  sampleCreated: true,
};
const usual: NextCommandsOptions = {
  flags: { dir: ".kedge", operators: true, sample: true, detach: false, exposeNodePorts: false },
  folder: clusterFolder("/home/me/.kedge"),
  settings,
  sample: true,
  background: true,
  total: "2.9 s",
  bold: (text) => text,
};

it("begins with the command that pings the sample", () => {
  expect(nextCommands(usual)).toBe(`Ready in 2.9 s. Next:
  ./kedge redis cli sample ping
  export KUBECONFIG=/home/me/.kedge/kubeconfig
  kubectl get redisinstances,pods,services
  ./kedge status
  ./kedge down
`);
});

it("names the folder, the port, and only what is there", () => {
  const flags = { dir: "/tmp/x", operators: false, sample: true, detach: false, exposeNodePorts: false };
  const folder = clusterFolder("/tmp/x");
  const taken = { settings: { ...settings, port: 17_444 }, takenPort: 6443 };
  expect(nextCommands({ ...usual, ...taken, flags, folder, sample: false, background: false }))
    .toBe(`Ready in 2.9 s. Next:
  export KUBECONFIG=/tmp/x/kubeconfig
  kubectl get pods,services
  ./kedge status --dir /tmp/x
(The API server listens on 17444: 6443 was taken.)
Ctrl-C stops it; its data stays.
`);
});

it.each([
  [false, "because containers need root", "sudo ./kedge"],
  [true, "as --runtime simulated says", "./kedge"],
])("says in one line that pods are simulated, why, and the way out (root: %s)", (isRoot, why, command) => {
  const simulated = { ...settings, runtime: "simulated" as const };
  const machine = { platform: "linux", isRoot };
  const [line] = nextCommands({ ...usual, settings: simulated, sample: false, machine }).split("\n");
  expect(line).toBe(
    `Pods are simulated, ${why}: nothing runs in them and no address of theirs answers. ` +
      `Real ones: ${command} up --runtime runc with another --dir than .kedge.`,
  );
});
