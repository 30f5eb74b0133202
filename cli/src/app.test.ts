import { run } from "@stricli/core";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { app } from "./app.ts";
import { exitCodeFor } from "./exit-code.ts";
import type { OutputStream } from "./terminal/terminal.ts";

const root = resolve(import.meta.dirname, "../..");

async function kedge(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: "", stderr: "" };
  const streamTo = (name: keyof typeof printed): OutputStream => ({
    isTTY: false,
    columns: 80,
    hasColors: () => false,
    write: (text) => {
      printed[name] += text;
    },
  });
  const stub = { stdout: streamTo("stdout"), stderr: streamTo("stderr"), env: {}, exitCode: null };
  await run(app, args, { process: stub, root });
  return { code: exitCodeFor(stub.exitCode), ...printed };
}

it("lists the commands that there are, with an example", async () => {
  const { code, stdout } = await kedge("--help");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^COMMANDS\n(?: {2}(?:up|down|status|snapshot|node|image|why|operator|redis|generate|test|bench|version) .*\n){13}$/mu,
  );
  expect(stdout).toContain("kedge test unit --filter client");
});

it("an operator's probes and metrics are on all addresses, for a pod's kubelet to reach", async () => {
  const { stdout } = await kedge("operator", "--help");
  expect(stdout).toMatch(/--health-address\].*\[default = :8080\]/u);
  expect(stdout).toMatch(/--metrics-address\].*\[default = :9090\]/u);
});

it.each([
  "up",
  "down",
  "status",
  "operator",
  "redis cli",
  "image list",
  "generate crds",
  "generate rbac",
  "test",
  "bench",
  "version",
])("explains %s with an example", async (command) => {
  const { code, stdout } = await kedge(...command.split(" "), "--help");
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^EXAMPLES\\n  kedge ${command}`, "mu"));
});

it.each([
  [["tset"], "kedge: unknown command `tset`. Did you mean `test`? `kedge --help` lists all commands.\n"],
  [["frobnicate"], "kedge: unknown command `frobnicate`. `kedge --help` lists all commands.\n"],
  [
    ["test", "unti"],
    "kedge: there is no suite `unti`: it is one of unit, check, e2e, real, sim, long. See `--help` of the command.\n",
  ],
  [
    ["test", "--fliter", "x"],
    "kedge: no flag registered for --fliter, did you mean --filter? See `--help` of the command.\n",
  ],
  [["dwon"], "kedge: unknown command `dwon`. Did you mean `down`? `kedge --help` lists all commands.\n"],
  [
    ["up", "--smaple"],
    "kedge: no flag registered for --smaple, did you mean --sample? See `--help` of the command.\n",
  ],
  [
    ["up", "--port", "x"],
    "kedge: x is no port: it must be a number from 1 to 65535. See `--help` of the command.\n",
  ],
  [
    ["redis", "cli"],
    "kedge: expected at least 1 argument(s) for name and command but found none. See `--help` of the command.\n",
  ],
  [
    ["redis", "cli", "sample", "--pod", "a", "ping"],
    "kedge: a is no pod: give its number, such as 1, or its name, such as sample-1. See `--help` of the command.\n",
  ],
])("answers %j with the way out, and exit code 2", async (args, said) => {
  expect(await kedge(...args)).toEqual({ code: 2, stdout: "", stderr: said });
});

it("refuses a filter for the checks, which have no files", async () => {
  const { code, stderr } = await kedge("test", "check", "--filter", "x");
  expect(code).toBe(1);
  expect(stderr).toBe("kedge: --filter chooses test files, and `check` has none: leave one of the two out\n");
});

it("names the measurements that there are", async () => {
  const { code, stderr } = await kedge("bench", "no-such-thing");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^kedge: no measurement is named `no-such-thing`\. There are: apiserver, client,.* soak, start\n$/u,
  );
});

it.each([
  [["bench", "soak", "--minutes", "0"], 2, "--minutes 0: must be a number greater than 0"],
  [["bench", "client", "--minutes", "2"], 1, "--minutes is for `soak`, `redis-calm`, `redis-idle` only"],
  [["bench", "redis", "--kills", "often"], 2, "often: must be a number from 0 to 999"],
  [["bench", "client", "--node-kills", "2"], 1, "--node-kills is for `redis` only"],
  [["bench", "client", "--short"], 1, "--short is for `apiserver` and `cluster` only"],
])("refuses minutes that mean nothing: %j", async (args, code, said) => {
  const result = await kedge(...args);
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(said);
});

it("prints its version for people and for programs", async () => {
  expect((await kedge("version")).stdout).toBe(
    `kedge 0.1.0 (Node.js ${process.version}, ${process.platform}-${process.arch})\n`,
  );
  const { stdout } = await kedge("version", "-o", "json");
  expect(JSON.parse(stdout)).toEqual({
    kedge: "0.1.0",
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  });
});

it.each([
  [
    ["down", "--dir", "/no/such"],
    "kedge: there is no cluster in /no/such. `kedge up --dir /no/such` makes one; --dir names another folder.\n",
  ],
  [
    ["redis", "cli", "sample", "ping", "--dir", "/no/such"],
    "kedge: no cluster runs in /no/such. `kedge up --dir /no/such` starts it.\n",
  ],
  [
    ["operator", "--controllers", "redis,x"],
    "kedge: --controllers: there is no `x`. There are: redis, application\n",
  ],
])("says why %j cannot be done, and exits with 1", async (args, said) => {
  expect(await kedge(...args)).toEqual({ code: 1, stdout: "", stderr: said });
});

it("says that no cluster runs, to people and to programs", async () => {
  expect(await kedge("status", "--dir", "/no/such")).toEqual({
    code: 1,
    stdout: "No cluster runs in /no/such. `kedge up --dir /no/such` starts one.\n",
    stderr: "",
  });
  const { code, stdout } = await kedge("status", "--dir", "/no/such", "-o", "json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    folder: "/no/such",
    kubeconfig: "/no/such/kubeconfig",
    store: "lmdb",
    running: false,
    starting: false,
    ready: false,
    processes: [],
    troubles: [],
  });
});
