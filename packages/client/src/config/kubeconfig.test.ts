import { delimiter } from "node:path";
import { realClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { loadKubeconfig, type KubeconfigOptions } from "./kubeconfig.ts";
import { failureOf } from "./testing/failure-of.ts";
import { tempFolder } from "./testing/temp-folder.ts";
import type { ClientConfig } from "./types.ts";

describe("a context", () => {
  const config = {
    "current-context": "dev",
    clusters: ["dev", "prod"].map((name) => ({ name, cluster: { server: `https://${name}` } })),
    users: ["me", "root"].map((name) => ({ name, user: { token: name } })),
    contexts: [
      { name: "dev", context: { cluster: "dev", user: "me", namespace: "shop" } },
      { name: "prod", context: { cluster: "prod", user: "root" } },
      { name: "nobody", context: { cluster: "dev" } },
      { name: "lost-cluster", context: { cluster: "gone", user: "me" } },
      { name: "lost-user", context: { cluster: "dev", user: "gone" } },
      { name: "empty", context: {} },
    ],
  };

  async function choose(options: Partial<KubeconfigOptions>, content: object = config) {
    const folder = await tempFolder();
    const path = await folder.write("config", content);
    const loading = loadKubeconfig({ env: {}, clock: realClock, path, ...options });
    return { path, loading };
  }

  test.each<[options: Partial<KubeconfigOptions>, chosen: readonly [string, string | undefined, string]]>([
    [{}, ["https://dev", "Bearer me", "shop"]],
    [{ context: "", cluster: "", user: "", namespace: "" }, ["https://dev", "Bearer me", "shop"]],
    [{ context: "prod" }, ["https://prod", "Bearer root", "default"]],
    [{ cluster: "prod" }, ["https://prod", "Bearer me", "shop"]],
    [{ user: "root" }, ["https://dev", "Bearer root", "shop"]],
    [{ namespace: "other" }, ["https://dev", "Bearer me", "other"]],
    [{ context: "nobody" }, ["https://dev", undefined, "default"]],
    [{ context: "lost-cluster", cluster: "prod" }, ["https://prod", "Bearer me", "default"]],
  ])("chosen by %j", async (options, chosen) => {
    const { loading } = await choose(options);
    const loaded = await loading;
    const { authorization } = await loaded.credentials.current();
    expect([loaded.server, authorization, loaded.namespace]).toEqual(chosen);
  });

  test("is named as the source", async () => {
    const { path, loading } = await choose({ context: "prod" });
    expect((await loading).source).toBe(`context "prod" of ${path}`);
  });

  test.each<[options: Partial<KubeconfigOptions>, message: string]>([
    [
      { context: "prd" },
      'context "prd" does not exist; contexts there: dev, empty, lost-cluster, lost-user, nobody, prod',
    ],
    [{ cluster: "x" }, 'cluster "x" does not exist; clusters there: dev, prod'],
    [{ user: "x" }, 'user "x" does not exist; users there: me, root'],
    [
      { context: "lost-cluster" },
      'contexts[3].context.cluster: cluster "gone" does not exist (context "lost-cluster"): clusters there: dev, prod',
    ],
    [
      { context: "lost-user" },
      'contexts[4].context.user: user "gone" does not exist (context "lost-user"): users there: me, root',
    ],
    [
      { context: "empty" },
      'contexts[5].context.cluster: must be set (context "empty"): clusters there: dev, prod',
    ],
  ])("that cannot be found by %j is told with those that are there", async (options, message) => {
    const { path, loading } = await choose(options);
    expect((await failureOf(loading)).message).toBe(`${path}: ${message}`);
  });

  test("must be chosen, unless a cluster is", async () => {
    const content = { ...config, "current-context": "" };
    const none = await choose({}, content);
    expect((await failureOf(none.loading)).message).toContain(
      "current-context: must be set; contexts there: dev",
    );
    const cluster = await choose({ cluster: "prod" }, content);
    expect(await cluster.loading).toMatchObject({
      server: "https://prod",
      source: `cluster "prod" of ${cluster.path}`,
    });
    const empty = await choose({}, {});
    expect((await failureOf(empty.loading)).message).toContain("must be set; there are no contexts");
  });
});

/** A kubeconfig that knows one cluster. */
function knowing(name: string): object {
  return {
    "current-context": name,
    clusters: [{ name, cluster: { server: `https://${name}` } }],
    contexts: [{ name, context: { cluster: name } }],
  };
}

function loadFrom(env: Record<string, string>, context?: string): Promise<ClientConfig> {
  return loadKubeconfig({ env, clock: realClock, context });
}

describe("without a path", () => {
  test("KUBECONFIG is read, merged, and ~/.kube/config otherwise", async () => {
    const folder = await tempFolder();
    await folder.write(".kube/config", knowing("home"));
    const one = await folder.write("one", knowing("one"));
    const two = await folder.write("two", knowing("two"));
    const HOME = folder.path("");
    expect((await loadFrom({ HOME })).server).toBe("https://home");
    expect((await loadFrom({ HOME, KUBECONFIG: "" })).server).toBe("https://home");
    const KUBECONFIG = [folder.path("missing"), one, two].join(delimiter);
    expect((await loadFrom({ HOME, KUBECONFIG })).server).toBe("https://one");
    const second = await loadFrom({ HOME, KUBECONFIG }, "two");
    expect([second.server, second.source]).toEqual(["https://two", `context "two" of ${one}, ${two}`]);
  });

  test.each<[env: Record<string, string>, path: string | undefined, message: string]>([
    [{ KUBECONFIG: `/no/a${delimiter}/no/b` }, undefined, "KUBECONFIG names /no/a, /no/b: no such file"],
    [{ KUBECONFIG: delimiter }, undefined, "KUBECONFIG names no file"],
    [{ HOME: "/no" }, undefined, "HOME names /no/.kube/config: no such file"],
    [{}, undefined, "HOME names no file"],
    [{ KUBECONFIG: "/no/a" }, "/no/c", "the caller names /no/c: no such file"],
  ])("%j and %s lead nowhere", async (env, path, message) => {
    const error = await failureOf(loadKubeconfig({ env, clock: realClock, path }));
    expect(error.message).toBe(`no kubeconfig: ${message}`);
    expect(error.hint).toContain("KUBECONFIG");
  });
});
