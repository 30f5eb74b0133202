import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildModules } from "../../real/build.ts";
import { downloadedModule } from "../../real/download-module.ts";
import type { Oracle } from "../../real/oracle.ts";
import { certManagerModule, helmModule, moduleCache } from "../../real/programs.ts";

/** Where its objects and the leases of its leaders are. */
export const namespace = "cert-manager";

/** Builds what is missing: cert-manager, and Helm to install it. */
export async function buildCertManager(): Promise<void> {
  const modules = [certManagerModule(), helmModule()];
  const built = await buildModules(modules, { env: process.env, print: () => undefined });
  if (!built.ok) throw new Error(built.reason);
}

/** Installs cert-manager's own chart: definitions, roles, webhooks. Its Deployments have nobody who would run them. */
export async function installChart(oracle: Oracle): Promise<void> {
  const chart = await unpackChart(oracle.folder);
  const values = {
    installCRDs: true,
    "global.leaderElection.namespace": namespace,
    // A job, for which there is no node.
    "startupapicheck.enabled": false,
    // Where webhooks are looked for, and the webhook is the only one there.
    "webhook.securePort": 443,
  };
  const sets = Object.entries(values).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const program = join(moduleCache(helmModule(), process.env), "helm");
  const env = { PATH: process.env["PATH"], HOME: oracle.folder, KUBECONFIG: oracle.kubeconfig.path };
  const args = ["install", "cert-manager", chart, "--namespace", namespace, "--create-namespace", ...sets];
  await promisify(execFile)(program, args, { env });
}

/** What a release of cert-manager does: the chart of its sources gets its version, and the definitions. */
async function unpackChart(folder: string): Promise<string> {
  const { version } = certManagerModule();
  const sources = await downloadedModule("github.com/cert-manager/cert-manager", version);
  const chart = join(folder, "chart");
  await promisify(execFile)("cp", [
    "--recursive",
    "--no-preserve=mode",
    join(sources, "deploy/charts/cert-manager"),
    chart,
  ]);
  await rename(join(chart, "Chart.template.yaml"), join(chart, "Chart.yaml"));
  const about = await readFile(join(chart, "Chart.yaml"), "utf8");
  await writeFile(join(chart, "Chart.yaml"), about.replaceAll("v0.1.0", version));
  await mkdir(join(chart, "templates/crds"));
  await cp(join(sources, "deploy/crds"), join(chart, "templates/crds"), {
    recursive: true,
    filter: (path) => !path.endsWith(".md"),
  });
  return chart;
}
