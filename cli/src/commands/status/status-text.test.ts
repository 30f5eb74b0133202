import { expect, it } from "vitest";
import { statusText } from "./status-text.ts";

const base = { folder: "/home/me/.kedge", kubeconfig: "/home/me/.kedge/kubeconfig" };
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
    nodes: [{ name: "kedge", ready: true }],
    pods: { running: 4, all: 5 },
    redisInstances: [
      { name: "default/sample", status: "Running", ready: "1/1" },
      { name: "shop/cache", status: "Unknown", ready: "" },
    ],
    applications: [{ name: "default/my-app", phase: "Running" }],
  };
  expect(statusText({ ...base, running: true, ready: true, processes, cluster }, "")).toBe(
    `Cluster in /home/me/.kedge: ready
  processes   supervisor 10, server 11
  nodes       kedge Ready
  pods        4 of 5 running
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
  API server  cannot reach https://127.0.0.1:6443
  kubectl     export KUBECONFIG=/home/me/.kedge/kubeconfig
`,
  );
});
