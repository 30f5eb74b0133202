import { VirtualClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import type { KubeconfigExec } from "./kubeconfig-types.ts";
import { counting, path, pluginOf, v1 } from "./testing/exec-plugins.ts";
import { failureOf } from "./testing/failure-of.ts";
import { tempFolder } from "./testing/temp-folder.ts";

describe("an exec plugin", () => {
  test("gets its arguments, both environments and KUBERNETES_EXEC_INFO", async () => {
    const folder = await tempFolder();
    const command = await folder.script(
      "login",
      `printf '%s\\n' "$1" "$2" "$OURS" "$THEIRS" "$BOTH" "$KUBERNETES_EXEC_INFO" > '${folder.path("seen")}'
echo '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"t"}}'`,
    );
    const plugin = pluginOf(command, {
      env: { PATH: path, OURS: "ours", BOTH: "ours", KUBERNETES_EXEC_INFO: "stale" },
      exec: {
        args: ["--cluster", "a b"],
        env: [
          { name: "THEIRS", value: "theirs" },
          { name: "BOTH", value: "theirs" },
        ],
        provideClusterInfo: true,
      },
    });
    expect(await plugin.current()).toEqual({ authorization: "Bearer t" });
    const [first, second, ours, theirs, both, info = ""] = await folder.lines("seen");
    expect([first, second, ours, theirs, both]).toEqual(["--cluster", "a b", "ours", "theirs", "theirs"]);
    expect(JSON.parse(info)).toEqual({
      apiVersion: v1,
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: "https://k8s:6443", config: { audience: "shop" } } },
    });
  });

  test("is found in the PATH of the given environment", async () => {
    const folder = await tempFolder();
    await counting(folder);
    const plugin = pluginOf("login", { env: { PATH: `${folder.path("")}:${path}` } });
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-1" });
  });

  test("runs once for many who wait", async () => {
    const folder = await tempFolder();
    const plugin = pluginOf(await counting(folder));
    const identities = await Promise.all(Array.from({ length: 20 }, () => plugin.current()));
    expect(new Set(identities)).toEqual(new Set([{ authorization: "Bearer token-1" }]));
    expect(await folder.lines("runs")).toHaveLength(1);
  });

  test("runs once when its credential has no end", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock();
    const plugin = pluginOf(await counting(folder), { clock });
    const first = await plugin.current();
    await clock.advance(365 * 24 * 3_600_000);
    expect(await plugin.current()).toBe(first);
    expect(await folder.lines("runs")).toHaveLength(1);
  });

  test("runs again a minute before the end of its credential", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock({ epoch: Date.UTC(2026, 0) });
    const plugin = pluginOf(await counting(folder, ',"expirationTimestamp":"2026-01-01T01:00:00Z"'), {
      clock,
    });
    await plugin.current();
    await clock.advance(59 * 60_000 - 1);
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-1" });
    await clock.advance(1);
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-2" });
  });

  test("whose credential has expired already is asked each time, and the server is the judge", async () => {
    const folder = await tempFolder();
    const plugin = pluginOf(await counting(folder, ',"expirationTimestamp":"2001-01-01T00:00:00Z"'));
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-1" });
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-2" });
  });

  test("runs again after a 401", async () => {
    const folder = await tempFolder();
    const plugin = pluginOf(await counting(folder));
    const refused = await plugin.current();
    expect(plugin.refused(refused)).toBe(true);
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-2" });
    expect(await folder.lines("runs")).toHaveLength(2);
  });

  test("does not share credentials with another entry of the same command", async () => {
    const folder = await tempFolder();
    const command = await counting(folder);
    await pluginOf(command).current();
    expect(await pluginOf(command).current()).toEqual({ authorization: "Bearer token-2" });
  });

  test("that fails near the end of its credential is covered by it until the end", async () => {
    const folder = await tempFolder();
    const clock = new VirtualClock({ epoch: Date.UTC(2026, 0) });
    const command = await counting(
      folder,
      ',"expirationTimestamp":"2026-01-01T01:00:00Z"',
      "[ $n = 1 ] || exit 7",
    );
    const plugin = pluginOf(command, { clock });
    await plugin.current();
    await clock.advance(59 * 60_000);
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-1" });
    await clock.advance(60_000);
    expect((await failureOf(plugin.current())).message).toContain("exit code 7");
  });
});

describe("an entry", () => {
  test.each<[exec: Partial<KubeconfigExec>, message: string]>([
    [{ command: undefined }, "command: must be set"],
    [{ apiVersion: undefined }, `apiVersion: must be "${v1}" or "${v1}beta1", got nothing`],
    [{ apiVersion: `${v1}alpha1` }, `apiVersion: must be "${v1}" or "${v1}beta1", got "${v1}alpha1"`],
    [
      { interactiveMode: undefined },
      'interactiveMode: must be "Never", "IfAvailable" or "Always", got nothing',
    ],
    [
      { interactiveMode: "Maybe" },
      'interactiveMode: must be "Never", "IfAvailable" or "Always", got "Maybe"',
    ],
    [{ interactiveMode: "Always" }, 'interactiveMode: is "Always", but there is no terminal'],
  ])("%j is refused before anything runs", async (exec, message) => {
    const error = await failureOf(() => pluginOf("login", { interactive: false, exec }));
    expect(error.code).toBe("CONFIG");
    expect(error.message).toContain(`config: users[0].user.exec.${message}`);
  });

  test.each<[mode: string | undefined, version: string, isTerminal: boolean, isInteractive: boolean]>([
    ["Never", v1, true, false],
    ["IfAvailable", v1, true, true],
    ["IfAvailable", v1, false, false],
    ["Always", v1, true, true],
    [undefined, `${v1}beta1`, true, true],
    [undefined, `${v1}beta1`, false, false],
  ])("with mode %s of %s, terminal %s: interactive %s", async (interactiveMode, apiVersion, ...rest) => {
    const [interactive, isInteractive] = rest;
    const folder = await tempFolder();
    const command = await folder.script(
      "login",
      `echo "$KUBERNETES_EXEC_INFO" > '${folder.path("seen")}'
echo '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":{"token":"t"}}'`,
    );
    await pluginOf(command, { interactive, exec: { interactiveMode, apiVersion } }).current();
    const [info = ""] = await folder.lines("seen");
    expect(JSON.parse(info)).toEqual({
      apiVersion,
      kind: "ExecCredential",
      spec: { interactive: isInteractive },
    });
  });
});
