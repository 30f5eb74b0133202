import type { ApiRequest, ApiResponse, SwitchedStream, UpgradeRequest } from "@kedge/machinery";
import type { User } from "../registry/types.ts";

/** A group version that another server serves, as its APIService says. */
export interface RemoteService {
  /** Of the APIService: `v1.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM; undefined for those that this machine trusts. */
  readonly authority: string | undefined;
  /** Whether its certificate is not verified. */
  readonly insecure: boolean;
  /** As its status says. */
  readonly isAvailable: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

/** What is told of a remote group version in discovery. */
export interface RemoteVersion extends Pick<
  RemoteService,
  "group" | "version" | "groupPriority" | "versionPriority"
> {
  /** As `APIVersionDiscovery` lists them; none are known of what was never available. */
  readonly resources: readonly object[];
  /** Whether that is what it serves now. */
  readonly isFresh: boolean;
}

/** What other servers serve through this one, for discovery and OpenAPI. */
export interface RemoteVersions {
  /** Grows with every change. */
  readonly generation: number;
  all(): readonly RemoteVersion[];
  /** Their documents of OpenAPI v3: `apis/example.com/v1` and where it is. */
  openApiPaths(): ReadonlyMap<string, string>;
}

/** Who asks for something that another server serves. */
export interface Asker {
  readonly user: User;
  readonly auditId: string;
  /** Whether the answer may take as long as it likes (a watch). */
  readonly isLongRunning: boolean;
}

/** The way to other servers. */
export interface Remotes {
  /** Who serves a path, if it is another server. */
  serving(path: string): RemoteService | undefined;
  /** Forwards a request. Never throws: what goes wrong is an answer. */
  forward(remote: RemoteService, request: ApiRequest, asker: Asker): Promise<ApiResponse>;
  /** Forwards a request whose connection is to become another. */
  upgrade(
    remote: RemoteService,
    request: UpgradeRequest,
    asker: Asker,
  ): Promise<SwitchedStream | ApiResponse>;
}
