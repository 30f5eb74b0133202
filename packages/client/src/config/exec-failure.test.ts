import { DeadlineError, realClock, type Clock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { counting, pluginOf, v1 } from "./testing/exec-plugins.ts";
import { failureOf, shown } from "./testing/failure-of.ts";
import { isRunning } from "./testing/is-running.ts";
import { tempFolder } from "./testing/temp-folder.ts";

describe("an exec plugin that goes wrong", () => {
  test("is told by entry, exit code and what it said, but no secret", async () => {
    const folder = await tempFolder();
    const command = await folder.script(
      "login",
      `echo '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"s3cr3t-one"}}'
echo "session expired, run: login again (s3cr3t-one, $API_KEY)" >&2; exit 3`,
    );
    const plugin = pluginOf(command, { exec: { env: [{ name: "API_KEY", value: "s3cr3t-two" }] } });
    const error = await failureOf(plugin.current());
    expect(error.code).toBe("EXEC_PLUGIN");
    expect(error.message).toBe(
      `config: users[0].user.exec: ${command} failed with exit code 3 (user "me"): session expired, run: login again (***, ***)`,
    );
    expect(shown(error)).not.toContain("s3cr3t");
  });

  test("shows the end of a long complaint", async () => {
    const folder = await tempFolder();
    const command = await folder.script("login", "seq 1 100000 >&2; echo the reason >&2; exit 1");
    const { message } = await failureOf(pluginOf(command).current());
    expect(message.endsWith("the reason")).toBe(true);
    expect(message.length).toBeLessThan(2500);
  });

  test("is stopped at its deadline, with what it started", async () => {
    const folder = await tempFolder();
    const command = await folder.script(
      "login",
      `echo waiting for you >&2; sleep 600 & echo $! > '${folder.path("pid")}'; wait`,
    );
    const time = new AbortController();
    const deadline: Clock["deadline"] = () => ({ signal: time.signal, [Symbol.dispose]: () => undefined });
    const failing = failureOf(pluginOf(command, { clock: { ...realClock, deadline } }).current());
    await expect.poll(() => folder.lines("pid")).toHaveLength(1);
    time.abort(new DeadlineError(60_000));
    const error = await failing;
    expect(error.code).toBe("EXEC_PLUGIN");
    expect(error.message).toContain(`${command} did not finish within 60 s (user "me"): waiting for you`);
    const [pid = ""] = await folder.lines("pid");
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });

  test("is given the time that the caller allows, in real time", async () => {
    const folder = await tempFolder();
    const command = await folder.script("login", "exec sleep 600");
    const error = await failureOf(pluginOf(command, { deadlineMs: 50 }).current());
    expect(error.message).toContain(`${command} did not finish within 0.05 s`);
  });

  test.each([
    [false, [60_000]],
    [true, []],
  ])("has a minute unless the user may be asked (%s)", async (interactive, allowed) => {
    const folder = await tempFolder();
    const seen: number[] = [];
    const deadline: Clock["deadline"] = (ms, parent) => {
      seen.push(ms);
      return realClock.deadline(ms, parent);
    };
    const exec = { interactiveMode: "IfAvailable" };
    await pluginOf(await counting(folder), {
      interactive,
      exec,
      clock: { ...realClock, deadline },
    }).current();
    expect(seen).toEqual(allowed);
  });

  test("is stopped when the last caller leaves, and runs anew for the next", async () => {
    const folder = await tempFolder();
    const command = await counting(
      folder,
      "",
      `if [ $n = 1 ]; then echo $$ > '${folder.path("pid")}'; exec sleep 600; fi`,
    );
    const plugin = pluginOf(command);
    const controller = new AbortController();
    const leaving = failureOf(plugin.current(controller.signal));
    await expect.poll(() => folder.lines("pid")).toHaveLength(1);
    controller.abort();
    expect((await leaving).code).toBe("ABORTED");
    const [pid = ""] = await folder.lines("pid");
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
    expect(await plugin.current()).toEqual({ authorization: "Bearer token-2" });
  });

  test("by printing without end is stopped", async () => {
    const folder = await tempFolder();
    const command = await folder.script("login", "yes s3cr3t");
    const error = await failureOf(pluginOf(command).current());
    expect(error.message).toContain("printed more than a credential can be long");
    expect(shown(error)).not.toContain("s3cr3t");
  });

  test.each([
    ["printed nothing", "echo not logged in >&2", 'printed nothing (user "me"): not logged in'],
    ["killed", "kill -9 $$", "was killed by SIGKILL"],
    [
      "another version",
      `echo '{"apiVersion":"x/v1","kind":"ExecCredential"}'`,
      `must be "${v1}", got "x/v1"`,
    ],
    ["no credential", "echo hello", "must be a mapping, got a string"],
  ])("%s", async (_what, body, message) => {
    const folder = await tempFolder();
    const error = await failureOf(pluginOf(await folder.script("login", body)).current());
    expect(error.code).toBe("EXEC_PLUGIN");
    expect(error.message).toContain("config: users[0].user.exec: ");
    expect(error.message).toContain(message);
  });

  test("by not being installed says how to install it", async () => {
    const exec = { installHint: "\u001B[1mbrew install login" };
    const bare = await failureOf(pluginOf("no-such-login", { exec }).current());
    expect(bare.message).toBe(
      'config: users[0].user.exec: executable no-such-login not found: it is not in PATH (user "me")',
    );
    expect(bare.hint).toBe("brew install login");
    const folder = await tempFolder();
    const full = await failureOf(pluginOf(folder.path("login")).current());
    expect(full.message).toContain("there is no such file, or its interpreter is missing");
    expect(full.hint).toContain("install the plugin");
  });

  test("by not being executable says so", async () => {
    const folder = await tempFolder();
    const error = await failureOf(pluginOf(await folder.write("login", "#!/bin/sh")).current());
    expect(error.message).toContain("permission denied");
  });

  test("by an argument that no program can get fails as a plugin, not as a crash", async () => {
    const error = await failureOf(pluginOf("login", { exec: { args: ["a\0b"] } }).current());
    expect(error.code).toBe("EXEC_PLUGIN");
  });
});
