import { join } from "node:path";
import { loadKubeconfig, connect, type Client } from "@kedge/client";
import { realRandom, silentLogger, type Clock } from "@kedge/machinery";
import { Node } from "@kedge/machinery/kinds/core/v1";
import { addressAt, parseRange } from "@kedge/network";
import { ensureCertificates, writeKubeconfigs } from "../../cluster/certificates.ts";
import { cleanUpCluster } from "../../cluster/clean-up.ts";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import { loadSettings, saveSettings, type ClusterSettings } from "../../cluster/cluster-settings.ts";
import { freePort, isTaken } from "../../cluster/free-port.ts";
import { createSupervisor, type Supervisor } from "../../cluster/supervisor.ts";
import type { KedgeContext } from "../../context.ts";
import { imageAliasVariable } from "../../parts/image-aliases.ts";
import { nodeParts } from "../../parts/node-parts.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { createSample, sampleKey, waitForSample } from "./sample.ts";
import { installKinds } from "./install-kinds.ts";
import type { UpFlags } from "./run.ts";
import { createSteps } from "./steps.ts";

/** What a start takes. */
export interface StartOptions {
  readonly context: KedgeContext;
  readonly flags: UpFlags;
  readonly folder: ClusterFolder;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Brings everything up in order and says how long each step took. When a step fails, what was started is stopped. */
export async function startCluster(options: StartOptions): Promise<Supervisor> {
  const { flags, folder, terminal, clock } = options;
  const steps = createSteps(terminal, clock);
  const settings = await prepare(options);
  const supervisor = createSupervisor({
    folder,
    clock,
    env: { [imageAliasVariable]: (flags.imageAlias ?? []).join(" ") },
    onTrouble: (message) => terminal.print(`${message}\n`),
  });
  try {
    const server = `https://127.0.0.1:${settings.port}`;
    await steps.run("API server", server, () => supervisor.start("server"));
    const config = await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig });
    const client = connect(config, { clock, userAgent: "kedge-up/0.1.0" });
    try {
      await steps.run("node", settings.nodeName, async () => {
        await supervisor.start("node");
        await nodeReady(client, settings.nodeName, options.signal);
      });
      if (flags.operators) {
        await steps.run("operators", "redis, application", async () => {
          await installKinds(client, clock);
          await supervisor.start("operator");
        });
      }
      if (flags.operators && flags.sample) await bringSample(options, settings, { client, steps });
    } finally {
      await client.close();
    }
    terminal.clear();
    terminal.print(await nextCommands(options, settings, steps.total()));
    return supervisor;
  } catch (error) {
    terminal.clear();
    await supervisor.stop();
    await cleanUpCluster({ folder, settings, clock, logger: silentLogger, env: options.context.process.env });
    throw error;
  }
}

/** Programs, settings, certificates, and a machine without what a killed cluster left on it. */
async function prepare({ context, flags, folder, terminal, clock }: StartOptions): Promise<ClusterSettings> {
  const known = await loadSettings(folder, realRandom);
  if (flags.port !== undefined && (await isTaken(flags.port))) {
    throw new Error(
      `--port ${flags.port}: somebody listens there already. Give another, or none for a free one.`,
    );
  }
  const settings = { ...known, port: flags.port ?? (await freePort(known.port)) };
  const { env } = context.process;
  const onProgress = ({
    package: name,
    version,
  }: {
    readonly package: string;
    readonly version: string;
  }): void => terminal.waitFor(`fetching ${name} ${version} from Debian`);
  await nodeParts({ folder, settings, clock, logger: silentLogger, env, onProgress });
  await cleanUpCluster({ folder, settings, clock, logger: silentLogger, env });
  await saveSettings(folder, settings);
  await ensureCertificates({
    folder,
    clock,
    random: realRandom,
    node: { name: settings.nodeName, address: addressAt(parseRange(settings.podRange), 1) },
    serviceAddress: addressAt(parseRange(settings.serviceRange), 1),
  });
  await writeKubeconfigs(folder, `https://127.0.0.1:${settings.port}`);
  return settings;
}

async function nodeReady(client: Client, name: string, signal: AbortSignal): Promise<void> {
  for await (const event of client.of(Node).watch({ fieldSelector: `metadata.name=${name}`, signal })) {
    if (event.type === "BOOKMARK") continue;
    const ready = event.object.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status === "True") return;
  }
}

async function bringSample(
  { folder, clock, signal, terminal, context }: StartOptions,
  settings: ClusterSettings,
  { client, steps }: { readonly client: Client; readonly steps: ReturnType<typeof createSteps> },
): Promise<void> {
  if (!settings.sampleCreated) {
    await createSample(client, join(context.root, "deploy/config/samples"));
    await saveSettings(folder, { ...settings, sampleCreated: true });
  }
  await steps.run("RedisInstance", `${sampleKey.namespace}/${sampleKey.name}`, () =>
    waitForSample(client, { clock, signal, onWait: (why) => terminal.waitFor(why) }),
  );
}

async function nextCommands(
  options: StartOptions,
  settings: ClusterSettings,
  total: string,
): Promise<string> {
  const { flags, folder, terminal } = options;
  const where = flags.dir === ".kedge" ? "" : ` --dir ${flags.dir}`;
  const bold = (text: string): string => terminal.style("bold", text);
  const lines = [`Ready in ${total}. Next:`];
  if (flags.operators && flags.sample)
    lines.push(`  ${bold(`./kedge redis cli ${sampleKey.name} ping${where}`)}`);
  lines.push(
    `  ${bold(`export KUBECONFIG=${folder.kubeconfig}`)}`,
    `  ${bold("kubectl get redisinstances,pods,services")}`,
  );
  lines.push(`  ${bold(`./kedge status${where}`)}, and ${bold(`./kedge down${where}`)} to stop it`);
  if (settings.port !== 6443 && flags.port === undefined)
    lines.push(`(The API server listens on ${settings.port}: 6443 was taken.)`);
  return `${lines.join("\n")}\n`;
}
