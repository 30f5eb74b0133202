import type { Clock } from "@kedge/machinery";
import { bearer } from "./bearer.ts";
import type { ExecCluster } from "./exec-credential.ts";
import { execPlugin } from "./exec-plugin.ts";
import { fileCredentials, fixedCredentials, type IdentityParts } from "./file-credentials.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./kubeconfig-types.ts";
import type { PemSource } from "./pem.ts";
import { fieldOf, placeError } from "./place.ts";
import type { Credentials, Impersonation, ServerTrust } from "./types.ts";

/** What credentials depend on beside the user's entry. */
export interface UserSurroundings {
  readonly cluster: KubeconfigCluster;
  readonly server: string;
  readonly trust: ServerTrust;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly interactive?: boolean | undefined;
}

/** The credentials of a user. As for kubectl, nothing secret is sent, and no plugin run, without TLS. */
export async function credentialsOf(
  user: KubeconfigUser | undefined,
  around: UserSurroundings,
): Promise<Credentials> {
  if (user === undefined) return fixedCredentials({});
  checkUser(user);
  if (!around.server.startsWith("https:")) return fixedCredentials({});
  const parts = partsOf(user);
  const hasParts = Object.values(parts).some((part) => part !== undefined);
  // What stands in the entry itself wins over its plugin, as for kubectl.
  if (user.exec === undefined || hasParts) return fileCredentials(parts, around.clock);
  return execPlugin({ ...around, exec: user.exec, cluster: execClusterOf(around) });
}

/** As whom the user wants to act. */
export function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  const hasExtra = Object.keys(user.asUserExtra).length > 0;
  if (user.as === undefined) {
    if (user.asUid === undefined && user.asGroups.length === 0 && !hasExtra) return undefined;
    throw placeError(fieldOf(user.place, "as"), "must be set beside as-uid, as-groups and as-user-extra");
  }
  return {
    user: user.as,
    ...(user.asUid !== undefined && { uid: user.asUid }),
    ...(user.asGroups.length > 0 && { groups: user.asGroups }),
    ...(hasExtra && { extra: user.asUserExtra }),
  };
}

function checkUser(user: KubeconfigUser): void {
  const { place } = user;
  if (user.authProvider !== undefined) {
    throw placeError(
      fieldOf(place, "auth-provider"),
      `"${user.authProvider}" is not supported: auth providers are a legacy that Kubernetes has replaced`,
      {
        hint: "use an exec plugin (kubelogin, gke-gcloud-auth-plugin, aws eks get-token) in the user's entry",
      },
    );
  }
  if (user.username !== undefined && (user.token !== undefined || user.tokenFile !== undefined)) {
    throw placeError(place, "has both a token and username/password: remove one");
  }
  if (user.username === undefined && user.password !== undefined) {
    throw placeError(fieldOf(place, "username"), "must be set beside password");
  }
}

function partsOf(user: KubeconfigUser): IdentityParts {
  const { tokenFile: file } = user;
  return {
    authorization: authorizationOf(user),
    tokenFile: file === undefined ? undefined : { file, place: fieldOf(user.place, "tokenFile") },
    certificate: certificateOf(user),
  };
}

function authorizationOf(user: KubeconfigUser): string | undefined {
  if (user.token !== undefined) return bearer(user.token, fieldOf(user.place, "token"));
  if (user.username === undefined) return undefined;
  return `Basic ${Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64")}`;
}

function certificateOf(user: KubeconfigUser): IdentityParts["certificate"] {
  const certificate = pemOf(user, "client-certificate", {
    file: user.clientCertificate,
    pem: user.clientCertificateData,
  });
  const key = pemOf(user, "client-key", { file: user.clientKey, pem: user.clientKeyData });
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined) throw placeError(user.place, "has a client-key but no client-certificate");
  if (key === undefined) throw placeError(user.place, "has a client-certificate but no client-key");
  return { certificate, key };
}

function pemOf(user: KubeconfigUser, name: string, text: Omit<PemSource, "place">): PemSource | undefined {
  if (text.file === undefined && text.pem === undefined) return undefined;
  if (text.file !== undefined && text.pem !== undefined) {
    throw placeError(user.place, `has both ${name} and ${name}-data: remove one`);
  }
  return { ...text, place: fieldOf(user.place, text.file === undefined ? `${name}-data` : name) };
}

function execClusterOf({ cluster, server, trust }: UserSurroundings): ExecCluster {
  return {
    server,
    ca: trust.ca,
    tlsServerName: cluster.tlsServerName,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
    proxyUrl: cluster.proxyUrl,
    disableCompression: cluster.disableCompression,
    config: cluster.execConfig,
  };
}
