import { realClock, type Clock } from "@kedge/machinery";
import { execPlugin, type ExecPluginOptions } from "../exec-plugin.ts";
import type { KubeconfigExec } from "../kubeconfig-types.ts";
import type { Credentials } from "../types.ts";
import type { TempFolder } from "./temp-folder.ts";

/** The API version that the test plugins speak. */
export const v1 = "client.authentication.k8s.io/v1";
/** Where the test plugins find their commands. */
export const path = "/usr/bin:/bin";

function entry(exec: Partial<KubeconfigExec>): KubeconfigExec {
  return {
    place: { document: "config", path: "users[0].user.exec", entry: 'user "me"', code: "CONFIG" },
    command: undefined,
    args: [],
    env: [],
    apiVersion: v1,
    installHint: undefined,
    provideClusterInfo: false,
    interactiveMode: "Never",
    ...exec,
  };
}

const cluster = {
  server: "https://k8s:6443",
  ca: undefined,
  tlsServerName: undefined,
  insecureSkipTlsVerify: false,
  proxyUrl: undefined,
  disableCompression: false,
  config: { audience: "shop" },
};

interface Setup extends Partial<Omit<ExecPluginOptions, "exec">> {
  readonly exec?: Partial<KubeconfigExec>;
}

/** The credentials of a command; what is not given is as plain as can be. */
export function pluginOf(command: string, { exec, ...options }: Setup = {}): Credentials {
  const clock: Clock = options.clock ?? realClock;
  return execPlugin({ env: { PATH: path }, cluster, ...options, clock, exec: entry({ command, ...exec }) });
}

/** A script that counts its runs in the file `runs` and prints a token with that number. */
export function counting(folder: TempFolder, status = "", before = ""): Promise<string> {
  return folder.script(
    "login",
    `echo run >> '${folder.path("runs")}'
n=$(wc -l < '${folder.path("runs")}' | tr -d ' ')
${before}
echo '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"token-'$n'"${status}}}'`,
  );
}
