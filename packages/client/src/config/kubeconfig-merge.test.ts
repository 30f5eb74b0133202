import { delimiter } from "node:path";
import { realClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { kubeconfigPaths, readKubeconfigs } from "./kubeconfig-merge.ts";
import { failureOf } from "./testing/failure-of.ts";
import { tempFolder } from "./testing/temp-folder.ts";

describe("KUBECONFIG", () => {
  test.each([
    ["/a", ["/a"]],
    [["/a", "/b"].join(delimiter), ["/a", "/b"]],
    [["", "/a", "", "/b", ""].join(delimiter), ["/a", "/b"]],
    [["/b", "/a", "/b"].join(delimiter), ["/b", "/a"]],
    [delimiter, []],
  ])("%s names %j", (variable, files) => {
    expect(kubeconfigPaths(variable)).toEqual(files);
  });
});

describe("merged files", () => {
  test("the first one to have an entry wins with all of it, and so does the first current-context", async () => {
    const folder = await tempFolder();
    const files = [
      await folder.write("one/config", {
        users: [{ name: "me", user: { token: "first-token" } }],
        clusters: [{ name: "a", cluster: { server: "https://first", "certificate-authority": "ca.crt" } }],
      }),
      await folder.write("two/config", {
        "current-context": "second",
        users: [{ name: "me", user: { token: "second-token", as: "admin" } }],
        clusters: [{ name: "b", cluster: { server: "https://b", "certificate-authority": "ca.crt" } }],
        contexts: [{ name: "second", context: { cluster: "b", user: "me" } }],
      }),
      await folder.write("three/config", {
        "current-context": "third",
        contexts: [{ name: "second", context: { cluster: "a" } }],
      }),
    ];
    const merged = await readKubeconfigs(files, realClock);
    expect(merged?.files).toEqual(files);
    expect(merged?.currentContext).toBe("second");
    expect(merged?.users.get("me")).toMatchObject({ token: "first-token", as: undefined });
    expect(merged?.contexts.get("second")?.cluster).toBe("b");
    expect(merged?.clusters.get("a")?.certificateAuthority).toBe(folder.path("one/ca.crt"));
    expect(merged?.clusters.get("b")?.certificateAuthority).toBe(folder.path("two/ca.crt"));
  });

  test("that are missing are skipped, and undefined says that all are", async () => {
    const folder = await tempFolder();
    const there = await folder.write("config", { "current-context": "x" });
    const missing = [folder.path("missing"), `${there}/below-a-file`];
    expect((await readKubeconfigs([...missing, there], realClock))?.files).toEqual([there]);
    expect(await readKubeconfigs(missing, realClock)).toBeUndefined();
  });

  test("that are broken or no files are errors, also beside good ones", async () => {
    const folder = await tempFolder();
    const good = await folder.write("good", {});
    const bad = await folder.write("bad", "clusters: 3");
    const error = await failureOf(readKubeconfigs([good, bad], realClock));
    expect(error.message).toBe(`${bad}: clusters: must be a list, got a number`);
    const directory = await failureOf(readKubeconfigs([good, folder.path("")], realClock));
    expect(directory.message).toBe(`${folder.path("")}: cannot be read: it is a directory`);
  });
});
