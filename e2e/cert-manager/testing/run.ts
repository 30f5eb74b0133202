import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@kedge/client";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Service, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { kubeconfigText } from "../../real/kubeconfig.ts";
import type { Oracle } from "../../real/oracle.ts";
import { certManagerModule, moduleCache, type CertManagerProgram } from "../../real/programs.ts";
import { openRelay } from "../../real/room/relay.ts";
import { openRoom, type Room } from "../../real/room/room.ts";
import { namespace } from "./install.ts";

/** By the names of their Deployments. */
const programs: Readonly<Record<string, CertManagerProgram>> = {
  "cert-manager": "cert-manager-controller",
  "cert-manager-cainjector": "cert-manager-cainjector",
  "cert-manager-webhook": "cert-manager-webhook",
};

/** The three programs of cert-manager. */
export interface RunningCertManager extends AsyncDisposable {
  /** All that each has logged. */
  logs(): Promise<string>;
  /** Throws, with the end of its log, as soon as one has ended. */
  throwIfEnded(): Promise<void>;
}

/** Runs what the Deployments of the chart say, each program with its own service account, in a room. */
export async function runCertManager(oracle: Oracle): Promise<RunningCertManager> {
  const room = await openRoom();
  const relay = await openRelay(room.gateway, Number(new URL(oracle.url).port));
  const stop = async (): Promise<void> => {
    await room[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
  };
  try {
    await leadTo(room, oracle.admin);
    const url = `https://${room.gateway}:${relay.port}`;
    for (const [name, program] of Object.entries(programs)) await start({ name, program, url, room, oracle });
  } catch (error) {
    await stop();
    throw error;
  }
  const logOf = (program: string): Promise<string> => readFile(join(room.folder, `${program}.log`), "utf8");
  return {
    logs: async () => (await Promise.all(Object.values(programs).map(logOf))).join("\n"),
    throwIfEnded: () => room.throwIfEnded(),
    [Symbol.asyncDispose]: stop,
  };
}

/** The Service of the webhook leads to the room: nothing here has the addresses of Services. */
async function leadTo({ address }: Room, client: Client): Promise<void> {
  const spec = { type: "ExternalName", externalName: address, clusterIP: null, clusterIPs: null };
  await client.of(Service).patch({ namespace, name: "cert-manager-webhook" }, { merge: { spec } });
}

interface Start {
  readonly name: string;
  readonly program: CertManagerProgram;
  readonly url: string;
  readonly room: Room;
  readonly oracle: Oracle;
}

async function start({ name, program, url, room, oracle }: Start): Promise<void> {
  const client = oracle.admin;
  const { spec } = await client.of(Deployment).get({ namespace, name });
  const account = spec.template.spec?.serviceAccountName ?? "";
  const { status } = await client.of(ServiceAccount).token.create({ namespace, name: account }, {});
  const kubeconfig = join(room.folder, `${program}.kubeconfig`);
  const ca = await readFile(join(oracle.folder, "ca.crt"), "utf8");
  const user = { token: status?.token ?? "" };
  await writeFile(kubeconfig, kubeconfigText({ url, ca, user, serverName: "localhost" }), { mode: 0o600 });
  const args = spec.template.spec?.containers[0]?.args ?? [];
  await room.start({
    name: program,
    program: join(moduleCache(certManagerModule(), process.env), program),
    args: [...args.map((arg) => arg.replaceAll("$(POD_NAMESPACE)", namespace)), `--kubeconfig=${kubeconfig}`],
  });
}
