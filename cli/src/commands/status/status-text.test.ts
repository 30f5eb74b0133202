import { expect, it } from "vitest";
import { statusText } from "./status-text.ts";

const base = {
  folder: "/home/me/.kedge",
  kubeconfig: "/home/me/.kedge/kubeconfig",
  troubles: [],
  starting: false,
  store: "lmdb",
};
const processes = [
  { role: "supervisor", pid: 10 },
  { role: "server", pid: 11 },
];

it("says how to start what does not run", () => {
  const status = { ...base, running: false, ready: false, processes: [] };
  expect(statusText(status, " --dir x")).toBe(
    "No cluster runs in /home/me/.kedge. `kedge up --dir x` starts one.\n",
  );
});

it("shows what runs", () => {
  const cluster = {
    nodes: [
      { name: "kedge", ready: true, stopped: false, simulated: false },
      { name: "kedge-2", ready: false, stopped: true, simulated: false },
      { name: "kedge-3", ready: false, stopped: false, simulated: false },
    ],
    pods: { ready: 4, all: 5 },
    redisInstances: [
      { name: "default/sample", status: "Running", ready: "1/1" },
      { name: "shop/cache", status: "Unknown", ready: "" },
    ],
    applications: [{ name: "default/my-app", phase: "Running" }],
  };
  expect(statusText({ ...base, running: true, ready: true, processes, cluster }, "")).toBe(
    `Cluster in /home/me/.kedge: ready
  processes   supervisor 10, server 11
  store       lmdb
  nodes       kedge Ready, kedge-2 stopped, kedge-3 NotReady
  pods        4 of 5 ready
  redis       default/sample Running 1/1
  redis       shop/cache Unknown
  application default/my-app Running
  kubectl     export KUBECONFIG=/home/me/.kedge/kubeconfig
`,
  );
});

it("says why it does not know", () => {
  const problem = "cannot reach https://127.0.0.1:6443";
  expect(statusText({ ...base, running: true, ready: false, processes, problem }, "")).toBe(
    `Cluster in /home/me/.kedge: not ready
  processes   supervisor 10, server 11
  store       lmdb
  API server  cannot reach https://127.0.0.1:6443
  kubectl     export KUBECONFIG=/home/me/.kedge/kubeconfig
`,
  );
});

it("does not call ready what is being started", () => {
  expect(statusText({ ...base, running: true, starting: true, ready: false, processes }, "")).toMatch(
    /^Cluster in \/home\/me\/\.kedge: being started\n/u,
  );
});

it("shows which parts were started again, and why", () => {
  const troubles = [
    {
      role: "server",
      restarts: 1,
      at: "2026-01-02T03:04:05Z",
      why: "did not answer for 30 s and was killed",
    },
    { role: "node", restarts: 3, at: "2026-01-02T03:05:05Z", why: "ended by itself (code 1)" },
  ];
  expect(statusText({ ...base, running: true, ready: false, processes, troubles, problem: "x" }, "")).toBe(
    `Cluster in /home/me/.kedge: not ready
  processes   supervisor 10, server 11
  restarted   server once, last at 2026-01-02T03:04:05Z: it did not answer for 30 s and was killed
  restarted   node 3 times, last at 2026-01-02T03:05:05Z: it ended by itself (code 1)
  store       lmdb
  API server  x
  kubectl     export KUBECONFIG=/home/me/.kedge/kubeconfig
`,
  );
});

it("counts many nodes, names those that are not ready, and says that pods are simulated", () => {
  const nodes = Array.from({ length: 100 }, (_, index) => ({
    name: `kedge-${index}`,
    ready: index < 88,
    stopped: index === 88,
    simulated: true,
  }));
  const cluster = { nodes, pods: { ready: 4, all: 5 }, redisInstances: [], applications: [] };
  const text = statusText({ ...base, running: true, ready: true, processes, cluster }, "");
  expect(text).toMatch(
    /^ {2}nodes {7}88 of 100 Ready, kedge-88 stopped, kedge-89 NotReady, .*, 2 more not$/mu,
  );
  expect(text).toMatch(/^ {2}pods {8}4 of 5 ready \(simulated: nothing runs in them\)$/mu);
});
