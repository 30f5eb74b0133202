import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { seededRandom } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { programPath } from "../real/programs.ts";
import { needs } from "../testing/needs.ts";
import { kubectlFor, type Kubectl, type TerminalKubectl } from "./testing/kubectl.ts";
import { busyManifest, shellManifest, webManifest } from "./testing/manifests.ts";
import { readTable } from "./testing/table.ts";

const program = programPath("kubectl");
const missing =
  whyNoContainers() ??
  (existsSync(program) ? undefined : "the real kubectl is not built: `kedge test real` does it");

/** What the newer kubectls speak, and what the older ones do. */
const wires = [
  ["WebSocket", "true"],
  ["SPDY", "false"],
] as const;

/**
 * Gives a window a size until the shell in it sees that, and all that was shown. A size that comes while kubectl still sends the one before it,
 * such as that of the rows alone, is dropped by it: the window is pulled again.
 */
async function pulledTo(
  shell: TerminalKubectl,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Promise<string> {
  shell.write(`until stty size | grep '${rows} ${columns}'; do sleep 0.1; done\n`);
  const pulled = async (): Promise<string> => {
    await shell.resize({ rows: rows - 1, columns });
    await shell.resize({ rows, columns });
    return await shell.until(() => true);
  };
  await expect.poll(pulled, { interval: 1000, timeout: 240_000 }).toContain(`\n${rows} ${columns}`);
  return await shell.until(() => true);
}

describe("streams of the real kubectl", needs(missing), () => {
  let cluster: TestCluster;
  let home = "";
  const kubectlBy = (isWebSocket: string): Kubectl =>
    kubectlFor({
      program,
      kubeconfig: join(cluster.dir, "kubeconfig"),
      home,
      env: {
        KUBECTL_REMOTE_COMMAND_WEBSOCKETS: isWebSocket,
        KUBECTL_PORT_FORWARD_WEBSOCKETS: isWebSocket,
      },
    });
  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    home = dirname(cluster.dir);
    const kubectl = kubectlBy("true");
    await kubectl.ok("apply -f -", shellManifest);
    await kubectl.ok("apply -f -", webManifest);
    // The autoscaler takes its time: what came of it is looked at last.
    await kubectl.ok("apply -f -", busyManifest);
    await kubectl.ok("autoscale deployment/busy --cpu=50% --min=1 --max=2");
    await kubectl.ok("wait pod/shell --for=condition=Ready --timeout=60s");
    await kubectl.ok("rollout status deployment/web --timeout=60s");
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  describe.each(wires)("by %s", (wire, isWebSocket) => {
    let kubectl: Kubectl;
    beforeAll(() => {
      kubectl = kubectlBy(isWebSocket);
    });

    it("exec carries input, output, errors and the exit code", async () => {
      const script = ["exec", "shell", "-c", "sh", "--", "sh", "-c", "echo out; echo err >&2; exit 9"];
      expect(await kubectl.run(script)).toEqual({
        code: 9,
        stdout: "out\n",
        stderr: "err\ncommand terminated with exit code 9\n",
      });
      expect(await kubectl.ok("exec -i shell -c sh -- wc -c", "x".repeat(300_000))).toBe("300000\n");
    });

    it("exec of what the container has not got says so once", async () => {
      const { code, stdout, stderr } = await kubectl.run([
        "exec",
        "shell",
        "-c",
        "sh",
        "--",
        "no-such-program",
      ]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(
        /^error: Internal error occurred: error executing command in container: .*executable file not found in \$PATH\n$/u,
      );
    });

    it("exec -it has a terminal, whose size it follows", async () => {
      await using shell = kubectl.onTerminal("exec -it shell -c sh -- sh");
      await shell.until((output) => output.includes("# "));
      shell.write("stty size\n");
      expect(await shell.until((output) => output.includes("24 80"))).toContain("# ");
      await pulledTo(shell, { rows: 30, columns: 100 });
      shell.write("exit\n");
    });

    it("attach -i reaches the input of a container", async () => {
      await using attached = kubectl.follow("attach -i -q shell -c repeat");
      attached.write(`hello by ${wire}\n`);
      const answer = await attached.until((output) => output.includes("\n"));
      expect(answer).toBe(`I read hello by ${wire}\n`);
    });

    it("attach -i leaves when its own input has ended, and the container's goes on", async () => {
      await kubectl.ok("attach -i -q shell -c repeat", "");
      await using attached = kubectl.follow("attach -i -q shell -c repeat");
      attached.write("still there\n");
      expect(await attached.until((output) => output !== "")).toBe("I read still there\n");
    });

    it("attach -it reaches its terminal", async () => {
      await using shell = kubectl.onTerminal("attach -it shell -c sh");
      await shell.until((output) => output.includes("try pressing enter"));
      shell.write(`echo ${wire} $((6 * 7))\n`);
      // The answer, and a prompt after it.
      await shell.until((output) => output.split(`${wire} 42`)[1]?.includes("# ") === true);
      // The terminal keeps the size that it had by the other wire.
      const columns = 100 + wire.length;
      expect(await pulledTo(shell, { rows: 31, columns })).toContain(`${wire} 42`);
    });

    it("cp copies files and folders, there and back", async () => {
      const here = join(home, wire);
      await mkdir(join(here, "there", "below"), { recursive: true });
      const random = seededRandom(1);
      const bytes = Buffer.from(Array.from({ length: 500_000 }, () => random.int(256)));
      await writeFile(join(here, "there", "below", "bytes"), bytes);
      await kubectl.ok(`cp ${join(here, "there")} shell:/tmp/${wire} -c sh`);
      await kubectl.ok(`cp shell:/tmp/${wire} ${join(here, "back")} -c sh`);
      expect((await readFile(join(here, "back", "below", "bytes"))).equals(bytes)).toBe(true);
    });

    it.each([
      ["deployment/web", 8080],
      ["service/web", 80],
    ])("port-forward leads to %s, with many connections at once", async (target, port) => {
      await using forward = kubectl.follow(`port-forward ${target} :${port} --address 127.0.0.2`);
      const said = await forward.until((output) => output.includes("Forwarding from"));
      const [, local] = /127\.0\.0\.2:(\d+) -> 8080/u.exec(said) ?? [];
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, turn) => {
          try {
            const answer = await fetch(`http://127.0.0.2:${local}/${turn}`);
            return (await answer.text()).trim();
          } catch (error) {
            return String(error instanceof Error ? (error.cause ?? error) : error);
          }
        }),
      );
      const wanted = Array.from(
        { length: 20 },
        (_, turn) => expect.stringMatching(`GET /${turn}$`) as unknown,
      );
      const told = await forward.until(() => true);
      expect({ answers, told }).toEqual({
        answers: wanted,
        told: expect.not.stringContaining("error") as string,
      });
    });

    it("port-forward says when nobody listens there", async () => {
      await using forward = kubectl.follow("port-forward pod/shell :7777");
      const said = await forward.until((output) => output.includes("127.0.0.1:"));
      const [, local] = /127\.0\.0\.1:(\d+) -> 7777/u.exec(said) ?? [];
      await expect(fetch(`http://127.0.0.1:${local}/`)).rejects.toThrow("fetch failed");
      const why = await forward.until((output) => output.includes("an error occurred forwarding"));
      expect(why).toMatch(/-> 7777: error forwarding port 7777 to pod .*connect: connection refused/u);
    });

    it("debug adds a container that sees the processes of its target", async () => {
      const name = `debug-${wire.toLowerCase()}`;
      await using debug = kubectl.follow(
        `debug -i -q shell --image=busybox:1.35 --target=repeat -c ${name} -- sh`,
      );
      debug.write("tr '\\0' ' ' </proc/1/cmdline; echo; hostname -i\n");
      const said = await debug.until((output) => /\n10\.\S+\n/u.test(output));
      expect(said).toContain("sh -c while read line; ");
      debug.write("exit\n");
      const state = `{.status.ephemeralContainerStatuses[?(@.name=='${name}')].state.terminated.reason}`;
      await expect
        .poll(() => kubectl.ok(["get", "pod", "shell", "-o", `jsonpath=${state}`]))
        .toBe("Completed");
      expect(await kubectl.ok(`logs shell -c ${name}`)).toContain("sh -c while read line");
    });
  });

  it("run -i shows what a container writes, and ends with its code", async () => {
    const words = "run once -i -q --rm --image=busybox:1.35 --restart=Never -- sh";
    const { code, stdout } = await kubectlBy("true").run(words, "echo $((40 + 2)); exit 5\n");
    expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 5, first: "42" });
  });

  it("top shows what nodes, pods and containers use", async () => {
    const kubectl = kubectlBy("true");
    await expect.poll(() => kubectl.run("top pod shell")).toMatchObject({ code: 0 });
    const [titles, ...rows] = (await kubectl.ok("top pod shell --containers")).split("\n");
    expect(titles?.trim().split(/ +/u)).toEqual(["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"]);
    const millicores = new Map(
      rows.map((row) => row.split(/ +/u)).map(([, name = "", cpu = ""]) => [name, Number.parseInt(cpu, 10)]),
    );
    // How much it gets depends on who else works here.
    expect(millicores.get("busy")).toBeGreaterThan(10 * (millicores.get("repeat") ?? 0));
    expect(millicores.get("busy")).toBeGreaterThan(20);
    const nodes = readTable(await kubectl.ok("top nodes"));
    expect(nodes.titles).toEqual(["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]);
    expect(nodes.rows).toEqual([
      ["kedge", expect.any(String), expect.any(String), expect.any(String), expect.any(String)],
    ]);
  });

  it("autoscale gives a Deployment another pod by what its pods use", async () => {
    const kubectl = kubectlBy("true");
    const replicas = (): Promise<string> => kubectl.ok("get deployment busy -o jsonpath={.spec.replicas}");
    await expect.poll(replicas, { interval: 500, timeout: 240_000 }).toBe("2");
    const [row = []] = readTable(await kubectl.ok("get hpa busy")).rows;
    expect(row).toEqual([
      "busy",
      "Deployment/busy",
      expect.stringMatching(/^cpu: \d+%\/50%$/u),
      "1",
      "2",
      expect.any(String),
      "<age>",
    ]);
    expect(await kubectl.ok("describe hpa busy")).toContain(
      "New size: 2; reason: cpu resource utilization (percentage of request) above target",
    );
  });
});
