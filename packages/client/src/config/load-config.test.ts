import { realClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { loadConfig, type LoadConfigOptions } from "./load-config.ts";
import { failureOf } from "./testing/failure-of.ts";
import { tempFolder, type TempFolder } from "./testing/temp-folder.ts";

const named = (name: string) => ({
  "current-context": name,
  clusters: [{ name, cluster: { server: `https://${name}` } }],
  contexts: [{ name, context: { cluster: name } }],
});

/** Everything that could be found, all at once. */
async function everything(folder: TempFolder): Promise<void> {
  await folder.write("explicit", named("explicit"));
  await folder.write("variable", named("variable"));
  await folder.write("home/.kube/config", named("home"));
  await folder.write("pod/token", "t");
}

function load(folder: TempFolder, options: Partial<LoadConfigOptions>) {
  return loadConfig({
    env: {},
    clock: realClock,
    serviceAccountDirectory: folder.path("pod"),
    ...options,
  });
}

describe("the configuration comes from", () => {
  test.each<[what: string, has: readonly string[], server: string]>([
    ["the named file before all", ["explicit", "KUBECONFIG", "pod", "HOME"], "https://explicit"],
    ["KUBECONFIG before the pod", ["KUBECONFIG", "pod", "HOME"], "https://variable"],
    ["the pod before home", ["pod", "HOME"], "https://10.96.0.1"],
    ["home at last", ["HOME"], "https://home"],
    ["home for a named context, also in a pod", ["pod", "HOME", "context"], "https://home"],
  ])("%s", async (_what, has, server) => {
    const folder = await tempFolder();
    await everything(folder);
    const env = {
      ...(has.includes("KUBECONFIG") && { KUBECONFIG: folder.path("variable") }),
      ...(has.includes("HOME") && { HOME: folder.path("home") }),
      ...(has.includes("pod") && {
        KUBERNETES_SERVICE_HOST: "10.96.0.1",
        KUBERNETES_SERVICE_PORT: "443",
      }),
    };
    const config = await load(folder, {
      env,
      kubeconfig: has.includes("explicit") ? folder.path("explicit") : "",
      context: has.includes("context") ? "home" : undefined,
    });
    expect(config.server).toBe(server);
  });

  test("home when the service is there but no token is mounted", async () => {
    const folder = await tempFolder();
    await folder.write("home/.kube/config", named("home"));
    const env = {
      HOME: folder.path("home"),
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      KUBERNETES_SERVICE_PORT: "443",
    };
    expect((await load(folder, { env })).server).toBe("https://home");
  });

  test("nowhere else when the named file or KUBECONFIG is missing or broken", async () => {
    const folder = await tempFolder();
    await everything(folder);
    const env = { HOME: folder.path("home") };
    const missing = await failureOf(load(folder, { env, kubeconfig: folder.path("no") }));
    expect(missing.message).toBe(`no kubeconfig: the caller names ${folder.path("no")}: no such file`);
    const variable = await failureOf(load(folder, { env: { ...env, KUBECONFIG: folder.path("no") } }));
    expect(variable.message).toBe(`no kubeconfig: KUBECONFIG names ${folder.path("no")}: no such file`);
    await folder.write("home/.kube/config", "clusters: 3");
    const broken = await failureOf(load(folder, { env }));
    expect(broken.message).toContain("/home/.kube/config: clusters: must be a list");
  });
});

describe("the options", () => {
  test("reach the kubeconfig and the pod", async () => {
    const folder = await tempFolder();
    await everything(folder);
    const kubeconfig = folder.path("explicit");
    expect((await load(folder, { kubeconfig, namespace: "own" })).namespace).toBe("own");
    const env = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
    expect((await load(folder, { env, namespace: "own" })).namespace).toBe("own");
    expect((await failureOf(load(folder, { kubeconfig, context: "x" }))).message).toContain('context "x"');
    expect((await failureOf(load(folder, { kubeconfig, cluster: "x" }))).message).toContain('cluster "x"');
    expect((await failureOf(load(folder, { kubeconfig, user: "x" }))).message).toContain('user "x"');
  });
});

describe("when there is nothing, all places are told", () => {
  test.each<[options: Partial<LoadConfigOptions>, places: string]>([
    [{}, "in-cluster: KUBERNETES_SERVICE_HOST is not set; ~/.kube/config: HOME is not set"],
    [
      {
        env: { HOME: "/no", KUBERNETES_SERVICE_HOST: "x", KUBERNETES_SERVICE_PORT: "1" },
      },
      "in-cluster: POD/token: no such file; /no/.kube/config: no such file",
    ],
    [
      { env: { HOME: "/no" }, context: "dev" },
      "in-cluster: not looked at, because a context, cluster or user was named; /no/.kube/config: no such file",
    ],
  ])("%j", async (options, places) => {
    const folder = await tempFolder();
    const error = await failureOf(load(folder, options));
    expect(error.message).toBe(
      `no configuration of a cluster found; looked at: kubeconfig option: not given; KUBECONFIG: not set; ${places.replace("POD", folder.path("pod"))}`,
    );
    expect(error.code).toBe("CONFIG");
    expect(error.hint).toContain("KUBECONFIG");
  });
});
