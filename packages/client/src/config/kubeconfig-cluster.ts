import type { Clock } from "@kedge/machinery";
import type { KubeconfigCluster } from "./kubeconfig-types.ts";
import { readAuthorities } from "./pem.ts";
import { fieldOf, placeError } from "./place.ts";
import { redactUrl } from "./redact.ts";
import type { ServerTrust } from "./types.ts";

/** The base URL of a cluster's server: no slash at the end, no query, no fragment. */
export function serverOf(cluster: KubeconfigCluster): string {
  const place = fieldOf(cluster.place, "server");
  if (cluster.server === undefined) throw placeError(place, "must be set");
  const url = URL.parse(cluster.server);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw placeError(place, `must be a URL, got "${redactUrl(cluster.server)}"`, {
      hint: "it looks like https://host:6443",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw placeError(place, "must not hold a user name and password: they belong to the user's entry");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** How the server of a cluster proves that it is the right one. */
export async function trustOf(cluster: KubeconfigCluster, clock: Clock): Promise<ServerTrust> {
  const { certificateAuthority: file, certificateAuthorityData: pem, tlsServerName: serverName } = cluster;
  if (file !== undefined && pem !== undefined) {
    throw placeError(
      cluster.place,
      "has both certificate-authority and certificate-authority-data: remove one",
    );
  }
  const hasAuthority = file !== undefined || pem !== undefined;
  if (hasAuthority && cluster.insecureSkipTlsVerify) {
    throw placeError(
      fieldOf(cluster.place, "insecure-skip-tls-verify"),
      "must not be true beside a certificate authority: remove one",
    );
  }
  const field = file === undefined ? "certificate-authority-data" : "certificate-authority";
  return {
    ...(hasAuthority && {
      ca: await readAuthorities({ place: fieldOf(cluster.place, field), file, pem }, clock),
    }),
    ...(serverName !== undefined && { serverName }),
    ...(cluster.insecureSkipTlsVerify && { insecure: true }),
  };
}
