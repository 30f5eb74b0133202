/** A client certificate and its key, as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What proves who we are, at one moment. A changed certificate means new connections; a changed token does not. */
export interface Identity {
  /** Value of the `authorization` header. */
  readonly authorization?: string;
  readonly clientCertificate?: ClientCertificate;
}

/** Where identities come from. They may change over time: token files are rotated, exec plugins renew. */
export interface Credentials {
  /** The identity to use now; cached by the source for as long as it is good. */
  current(signal?: AbortSignal): Promise<Identity>;
  /**
   * The server answered 401 to this identity. True when asking again may give another one: the caller then repeats
   * its request once.
   */
  refused(identity: Identity): boolean;
}

/** Act as somebody else; the server checks that we may. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** How to trust the server. */
export interface ServerTrust {
  /** Certificate authorities as PEM. Absent: the ones that Node.js trusts. */
  readonly ca?: string;
  /** Name that the server's certificate must carry when it is not the host of the URL. */
  readonly serverName?: string;
  /** Accept any certificate. Never the default. */
  readonly insecure?: boolean;
}

/** All that is needed to talk to one API server as one user. */
export interface ClientConfig {
  /** Base URL, without a slash at the end; a path is kept: `https://host:6443/clusters/a`. */
  readonly server: string;
  readonly trust: ServerTrust;
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation;
  /** `http://`, `https://` or `socks5://` proxy for this server; NO_PROXY is already taken into account. */
  readonly proxy?: string;
  /** Do not ask for gzip. */
  readonly disableCompression?: boolean;
  /** The namespace of the context: what a command means when none is named. */
  readonly namespace: string;
  /** Where this came from, for messages: `context "prod" of /home/me/.kube/config`. */
  readonly source: string;
}
