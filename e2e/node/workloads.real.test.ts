import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectlFor, type Kubectl } from "../kubectl/testing/kubectl.ts";
import { programPath } from "../real/programs.ts";
import { needs } from "../testing/needs.ts";
import { openAgentLaboratory, type AgentLaboratory } from "./agent-laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { workloads } from "./workloads/workloads.ts";

const mebi = 1024 * 1024;

/** The real API server, controller manager, scheduler and kubectl; only the node is ours. */
describe("workloads of a real control plane on our node", needs(whyNoContainers()), () => {
  let lab: AgentLaboratory;
  let kubectl: Kubectl;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    lab = await openAgentLaboratory();
    const [stopAgent, stopProvisioner] = [await lab.startAgent(), await lab.startProvisioner()];
    stop = async () => {
      await stopProvisioner();
      await stopAgent();
    };
    const program = programPath("kubectl", process.env);
    kubectl = kubectlFor({ program, kubeconfig: lab.oracle.kubeconfig.path, home: tmpdir() });
    await kubectl.ok("apply -f -", workloads.map(({ manifest }) => manifest).join("\n---\n"));
  });
  afterAll(async () => {
    await stop();
    await lab[Symbol.asyncDispose]();
  });

  it.each(workloads)("$name", async ({ ready, checks }) => {
    await kubectl.ok(ready);
    for (const [args, expected] of checks) {
      // A log may come a moment after the condition.
      await expect.poll(() => kubectl.ok(args), { interval: 200 }).toMatch(expected);
    }
  });

  it("its pods are reached by logs -f, exec and port-forward", async () => {
    await using logs = kubectl.follow("logs -f couple --all-containers --prefix");
    await logs.until(
      (output) =>
        output.includes("[pod/couple/server] answering") && output.includes("[pod/couple/main] asked"),
    );
    expect(await kubectl.ok("exec -i couple -c main -- cat", "through")).toBe("through");
    expect(await kubectl.refused("exec couple -c main -- sh -c false")).toContain("exit code 1");
    await using forward = kubectl.follow("port-forward deployment/web :80");
    const said = await forward.until((output) => output.includes("127.0.0.1:"));
    const socket = connect({ host: "127.0.0.1", port: Number(/127\.0\.0\.1:(\d+)/u.exec(said)?.[1]) });
    socket.write("GET / HTTP/1.0\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.[01] 200/u);
    socket.destroy();
  });

  it("the data of a claim outlives its pod, whose successor has it again", async () => {
    await kubectl.ok(["exec", "db-0", "--", "sh", "-c", "echo kept > /data/kept"]);
    await kubectl.ok("delete pod db-0");
    await kubectl.ok("rollout status statefulset/db --timeout=200s");
    expect(await kubectl.ok("exec db-0 -- cat /data/kept")).toBe("kept\n");
  });

  describe("kubectl patch --subresource resize", () => {
    const patch = (resources: object): string =>
      JSON.stringify({ spec: { containers: [{ name: "main", resources }] } });
    const resize = (resources: object): Promise<string> =>
      kubectl.ok(["patch", "pod", "resized", "--subresource=resize", "-p", patch(resources)]);
    const field = (path: string): Promise<string> =>
      kubectl.ok(`get pod resized -o jsonpath={.status.${path}}`);
    const limits = async (): Promise<readonly string[]> =>
      limitsOf((await field("containerStatuses[0].containerID")).replace("runc://", ""));

    it("changes the limits of a container that runs", async () => {
      await kubectl.ok("wait --for=condition=Ready pod/resized --timeout=200s");
      expect(await limits()).toEqual(["50000", String(64 * mebi)]);
      const id = await field("containerStatuses[0].containerID");
      await resize({ requests: { cpu: "200m" }, limits: { cpu: "1", memory: "96Mi" } });
      await expect.poll(() => field("containerStatuses[0].resources.limits.cpu")).toBe("1");
      expect(await limits()).toEqual(["100000", String(96 * mebi)]);
      expect(await field("containerStatuses[0].allocatedResources.cpu")).toBe("200m");
      expect(await field("containerStatuses[0].containerID")).toBe(id);
      expect(await kubectl.ok("get events --field-selector involvedObject.name=resized")).toContain(
        "ResizeCompleted",
      );
    });

    it("waits for room that the node does not have", async () => {
      const cores = Number(await kubectl.ok("get node -o jsonpath={.items[0].status.allocatable.cpu}"));
      const requests = { cpu: `${cores * 1000 - 400}m` };
      const neighbour = {
        name: "main",
        image: "busybox:1.35",
        command: ["sleep", "9999"],
        resources: { requests },
      };
      const metadata = { name: "neighbour" };
      const spec = { terminationGracePeriodSeconds: 1, containers: [neighbour] };
      await kubectl.ok("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec }));
      await kubectl.ok("wait --for=condition=Ready pod/neighbour --timeout=200s");
      await resize({ requests: { cpu: "900m" } });
      const pending = 'conditions[?(@.type=="PodResizePending")]';
      await expect.poll(() => field(`${pending}.reason`)).toBe("Deferred");
      expect(await field(`${pending}.message`)).toMatch(
        /^Node didn't have enough resource: cpu, requested: 900, /u,
      );
      expect(await field("containerStatuses[0].allocatedResources.cpu")).toBe("200m");
      await kubectl.ok("delete pod neighbour");
      await expect.poll(() => field("containerStatuses[0].allocatedResources.cpu")).toBe("900m");
      expect(await field(`${pending}.reason`)).toBe("");
    });

    it("starts the container again where its policy says so", async () => {
      await resize({ limits: { memory: "128Mi" } });
      await expect.poll(() => field("containerStatuses[0].restartCount")).toBe("0");
      await kubectl.ok([
        "patch",
        "pod",
        "resized",
        "--subresource=resize",
        "-p",
        JSON.stringify({
          spec: { containers: [{ name: "restarted", resources: { limits: { memory: "128Mi" } } }] },
        }),
      ]);
      await expect.poll(() => field("containerStatuses[1].restartCount")).toBe("1");
      await expect.poll(() => field("containerStatuses[1].resources.limits.memory")).toBe("128Mi");
    });

    it("is refused where it would change more", async () => {
      const refused = (resources: object): Promise<string> =>
        kubectl.refused(["patch", "pod", "resized", "--subresource=resize", "-p", patch(resources)]);
      expect(await refused({ limits: { "ephemeral-storage": "1Gi" } })).toContain("only cpu and memory");
      expect(await refused({ limits: { memory: null } })).toContain("resource limits cannot be removed");
      const tooMuch = { requests: { cpu: "9999" }, limits: { cpu: "9999" } };
      expect(await refused(tooMuch)).toContain(
        "node didn't have enough allocatable resources: cpu, requested: 9999000",
      );
    });
  });

  it("all of it goes again, and nothing is left on the node", async () => {
    await kubectl.ok("delete deployment,statefulset,daemonset,job,pod --all");
    await kubectl.ok("wait --for=delete pod --all --timeout=200s");
    await kubectl.ok("delete pvc --all");
    await expect.poll(() => lab.runtime.list()).toEqual([]);
    await expect.poll(() => lab.network.attached()).toEqual([]);
    await expect.poll(() => kubectl.ok("get pv -o name")).toBe("");
  });
});

/** The quota of processors and the limit of memory of a container, as the kernel has them. */
function limitsOf(id: string): readonly string[] {
  const read = (...files: readonly string[]): string => {
    const [path = ""] = files.flatMap((file) =>
      ["", "*/"].flatMap((hierarchy) => globSync(`/sys/fs/cgroup/${hierarchy}kedge-*/pod*/${id}/${file}`)),
    );
    return readFileSync(path, "utf8").trim().split(" ")[0] ?? "";
  };
  return [read("cpu.cfs_quota_us", "cpu.max"), read("memory.limit_in_bytes", "memory.max")];
}
