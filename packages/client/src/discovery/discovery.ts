import { StatusError, type ApiResponse } from "@kedge/machinery";
import { call, type CallContext } from "../api/call.ts";
import { fromWire } from "../api/from-wire.ts";
import { headerOf, readJson } from "../transport/read-body.ts";
import type { CallOptions } from "../api/types.ts";
import { aggregatedAccept, isAggregated, readAggregated, type AggregatedList } from "./aggregated.ts";
import { findByGvk, findByName, noSuchKind, type WantedKind } from "./find-kind.ts";
import { groupVersionsOf, kindsOf, type ApiGroupList, type ApiResourceList } from "./legacy.ts";
import type { DynamicObject, ServedApi, ServedGroupVersion, ServedKind } from "./types.ts";

/** How long an answer is good when nothing is missed. A miss asks again at once, but not more often than this. */
const freshFor = 600_000;
const askAgainAfter = 5_000;

/** What a server serves, remembered; and which kind is meant by a name or by group, version and kind. */
export class Discovery {
  readonly #context: CallContext;
  readonly #remembered = new Map<string, { etag: string; api: ServedGroupVersion[] }>();
  #api: Promise<ServedApi> | undefined;
  #asked = -Infinity;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** All kinds that the server serves. Asked once, then remembered for ten minutes. */
  served(options: CallOptions = {}): Promise<ServedApi> {
    const { clock } = this.#context;
    if (this.#api === undefined || clock.monotonic() - this.#asked >= freshFor) {
      this.#asked = clock.monotonic();
      const asking = this.#ask(options);
      this.#api = asking;
      // A failure is told to whoever waits now, and not remembered.
      asking.catch(() => {
        if (this.#api === asking) this.#api = undefined;
      });
    }
    return this.#api;
  }

  /** Forgets what is known; the next question goes to the server. */
  forget(): void {
    this.#api = undefined;
  }

  /**
   * The kind of this group, version (any, when none is named) and kind. Who knows what its objects look like says so:
   * `kind<Widget>({ … })`.
   */
  async kind<T = DynamicObject>(gvk: WantedKind, options: CallOptions = {}): Promise<ServedKind<T>> {
    return fromWire<ServedKind<T>>(await this.#find(options, (api) => findByGvk(api, gvk), gvk));
  }

  /** The kind that a person means by `po`, `pods`, `Pod`, `deployments.apps` or `deployments.v1.apps`. */
  async kindNamed(name: string, options: CallOptions = {}): Promise<ServedKind> {
    return this.#find(options, (api) => findByName(api, name), name);
  }

  /** Looks, and when nothing is found asks the server anew: a CRD may have come since. */
  async #find(
    options: CallOptions,
    find: (api: ServedApi) => ServedKind | undefined,
    wanted: string | WantedKind,
  ): Promise<ServedKind> {
    const known = find(await this.served(options));
    if (known !== undefined) return known;
    if (this.#context.clock.monotonic() - this.#asked >= askAgainAfter) this.forget();
    const api = await this.served(options);
    const found = find(api);
    if (found !== undefined) return found;
    throw noSuchKind(api, wanted);
  }

  async #ask(options: CallOptions): Promise<ServedApi> {
    const [core, named] = await Promise.all([
      this.#root("/api", options, () => [{ group: "", version: "v1" }]),
      this.#root("/apis", options, groupVersionsOf),
    ]);
    return [...core, ...named];
  }

  /** One of the two roots: aggregated where the server can, else group version by group version. */
  async #root(
    path: string,
    options: CallOptions,
    legacy: (list: ApiGroupList) => { group: string; version: string }[],
  ): Promise<ServedGroupVersion[]> {
    const remembered = this.#remembered.get(path);
    const headers = remembered === undefined ? {} : { "if-none-match": remembered.etag };
    const request = { method: "GET", path, accept: aggregatedAccept, headers };
    return call(this.#context, request, options, async (answer) => {
      if (answer.status === 304 && remembered !== undefined) return remembered.api;
      const body = await readJson(answer);
      if (!isAggregated(headerOf(answer, "content-type"))) {
        return this.#each(legacy(fromWire<ApiGroupList>(body)), options);
      }
      const api = readAggregated(fromWire<AggregatedList>(body));
      this.#remember(path, answer, api);
      return api;
    });
  }

  #remember(path: string, answer: ApiResponse, api: ServedGroupVersion[]): void {
    const etag = headerOf(answer, "etag");
    if (etag !== undefined) this.#remembered.set(path, { etag, api });
  }

  #each(
    versions: readonly { group: string; version: string }[],
    options: CallOptions,
  ): Promise<ServedGroupVersion[]> {
    return Promise.all(
      versions.map(async ({ group, version }) => {
        const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
        try {
          const list = await call(this.#context, { method: "GET", path }, options, (answer) =>
            readJson(answer),
          );
          return {
            group,
            version,
            kinds: kindsOf(group, version, fromWire<ApiResourceList>(list)),
            current: true,
          };
        } catch (error) {
          // An aggregated API server that is down must not hide all the others.
          if (error instanceof StatusError) return { group, version, kinds: [], current: false };
          throw error;
        }
      }),
    );
  }
}
