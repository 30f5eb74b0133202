import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { chooseRuntime, runtimeOf, wrongMachine, type RuntimeChoice } from "./pod-runtime.ts";

const root = { platform: "linux", isRoot: true };
const user = { platform: "linux", isRoot: false };
const mac = { platform: "darwin", isRoot: false };
const choose = (choice: Partial<RuntimeChoice>): ReturnType<typeof chooseRuntime> =>
  chooseRuntime({ wanted: undefined, known: undefined, machine: root, dir: ".kedge", ...choice });

it.each<[string, Partial<RuntimeChoice>, string]>([
  ["root has containers", {}, "runc"],
  ["others have simulated pods", { machine: user }, "simulated"],
  ["who asks for them has them, too", { wanted: "simulated" }, "simulated"],
  ["a cluster keeps what it has", { known: "simulated" }, "simulated"],
  ["so does one that is asked for what it has", { known: "runc", wanted: "runc" }, "runc"],
])("%s", (_name, choice, runtime) => {
  expect(choose(choice)).toBe(runtime);
});

it.each<[Partial<RuntimeChoice>, string]>([
  [
    { machine: user, wanted: "runc" },
    "--runtime runc: containers need root: sudo ./kedge up; or leave out --runtime for simulated pods.",
  ],
  [
    { machine: user, known: "runc" },
    "the cluster has containers, which need root: sudo ./kedge up; or give another --dir for simulated pods.",
  ],
  [
    { known: "simulated", wanted: "runc", dir: "x" },
    "--runtime runc: the cluster has simulated pods, and keeps them. Give another --dir for another cluster, " +
      "or delete this one with `kedge down --dir x --purge`.",
  ],
  [{ machine: mac }, "the embedded cluster needs Linux; this is darwin"],
])("refuses %o and says the way out", (choice, message) => {
  expect(choose(choice)).toEqual(new Error(message));
});

it("lets whoever has started a simulated cluster stop it, and only root one with containers", () => {
  expect(wrongMachine("down", "simulated", user)).toBeUndefined();
  expect(wrongMachine("down", "runc", root)).toBeUndefined();
  expect(wrongMachine("down", "runc", user)?.message).toMatch(/needs root: sudo .\/kedge down$/u);
});

it("reads what a cluster has; those from before there was a choice have containers", async () => {
  const path = mkdtempSync(join(tmpdir(), "kedge-runtime-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const folder = clusterFolder(path);
  expect(await runtimeOf(folder)).toBeUndefined();
  writeFileSync(folder.settings, "{}");
  expect(await runtimeOf(folder)).toBe("runc");
  writeFileSync(folder.settings, '{"runtime":"simulated"}');
  expect(await runtimeOf(folder)).toBe("simulated");
  writeFileSync(folder.settings, "{");
  expect(await runtimeOf(folder)).toBeUndefined();
});
