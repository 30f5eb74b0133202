import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { buildModules } from "../real/build.ts";
import { moduleCache, olderKubectls } from "../real/programs.ts";
import { needs } from "../testing/needs.ts";
import { kubectlFor, type Kubectl } from "./testing/kubectl.ts";
import { shellManifest, webManifest } from "./testing/manifests.ts";

/** Building them takes minutes. */
const patience = 900_000;

describe.each(olderKubectls())("kubectl $version", needs(whyNoContainers()), (module) => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  let home = "";
  beforeAll(async () => {
    const built = await buildModules([module], { env: process.env, print: () => undefined });
    if (!built.ok) throw new Error(built.reason);
    cluster = await upCluster({ flags: ["--no-sample", "--no-operators"] });
    home = dirname(cluster.dir);
    const program = join(moduleCache(module, process.env), "kubectl");
    kubectl = kubectlFor({ program, kubeconfig: join(cluster.dir, "kubeconfig"), home });
    // Up to 1.28 it validates by OpenAPI v2, which is not served.
    await kubectl.ok("apply --validate=false -f -", shellManifest);
    await kubectl.ok("apply --validate=false -f -", webManifest);
    await kubectl.ok("wait pod/shell --for=condition=Ready --timeout=120s");
  }, patience);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  it("is what it says", async () => {
    expect(await kubectl.ok("version")).toContain(`Client Version: ${module.version}`);
  });

  it("rolls out, undoes, scales and autoscales", async () => {
    await kubectl.ok("rollout status deployment/web --timeout=120s");
    expect(await kubectl.ok("rollout restart deployment/web")).toContain("restarted");
    await kubectl.ok("rollout status deployment/web --timeout=120s");
    expect(await kubectl.ok("rollout history deployment/web")).toMatch(/^2 /mu);
    expect(await kubectl.ok("rollout undo deployment/web")).toContain("rolled back");
    await kubectl.ok("rollout status deployment/web --timeout=120s");
    expect(await kubectl.ok("scale deployment/web --replicas=2")).toContain("scaled");
    expect(await kubectl.ok("autoscale deployment/web --cpu-percent=50 --min=2 --max=3")).toContain(
      "autoscaled",
    );
    expect(await kubectl.ok("get hpa web")).toMatch(/web +Deployment\/web +\S* ?\S+\/50% +2 +3/u);
    expect(await kubectl.ok("delete hpa/web")).toContain("deleted");
  });

  it("executes commands, with input and output, and copies files", async () => {
    expect(await kubectl.ok("exec -i shell -c sh -- cat", "through")).toBe("through");
    expect(await kubectl.refused("exec shell -c sh -- false")).toContain("exit code 1");
    await using terminal = kubectl.onTerminal("exec -it shell -c sh -- sh");
    terminal.write("stty size\r");
    await terminal.until((output) => output.includes("24 80"));
    await mkdir(join(home, "files"), { recursive: true });
    await writeFile(join(home, "files", "one"), "1");
    await kubectl.ok(`cp ${home}/files shell:/tmp/files -c sh`);
    await kubectl.ok(`cp shell:/tmp/files ${home}/back -c sh`);
    expect(await readFile(join(home, "back", "one"), "utf8")).toBe("1");
  });

  it("attaches, forwards ports, and debugs", async () => {
    await using forward = kubectl.follow("port-forward service/web :80");
    const said = await forward.until((output) => output.includes("127.0.0.1:"));
    const answer = await fetch(`http://127.0.0.1:${/127\.0\.0\.1:(\d+)/u.exec(said)?.[1]}/`);
    expect(answer.status).toBe(200);
    await using attached = kubectl.follow("attach -i shell -c repeat");
    attached.write("this\n");
    await attached.until((output) => output.includes("I read this"));
    await using debug = kubectl.follow("debug -i shell --image=busybox:1.35 -- cat");
    debug.write("seen\n");
    await debug.until((output) => output.includes("seen"));
  });

  it("shows logs and use", async () => {
    expect(await kubectl.ok("logs deployment/web --all-containers --tail=1")).toBeDefined();
    await expect.poll(async () => (await kubectl.run("top nodes")).stdout).toContain("kedge");
    await expect.poll(async () => (await kubectl.run("top pods")).stdout).toContain("shell");
  });

  it("cordons, drains and uncordons", async () => {
    expect(await kubectl.ok("cordon kedge")).toContain("cordoned");
    await kubectl.ok("drain kedge --force --delete-emptydir-data --grace-period=1 --timeout=120s");
    expect(await kubectl.ok("uncordon kedge")).toContain("uncordoned");
    await kubectl.ok("rollout status deployment/web --timeout=120s");
  });
});
