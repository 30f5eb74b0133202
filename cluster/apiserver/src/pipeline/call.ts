import type { ApiRequest, Clock, UpgradeRequest } from "@kedge/machinery";
import type { AuditTrail } from "../audit/auditor.ts";
import { headerOf } from "../request/header.ts";
import { negotiate, type Form, type Negotiation } from "../request/negotiate.ts";
import { pausesOn, type Pause } from "../request/pause.ts";
import { flag, targetOf, type Target } from "../request/target.ts";
import { Warnings } from "./warnings.ts";

/** A request, with what follows from it alone. */
export class Call {
  readonly request: Omit<ApiRequest, "body"> & Partial<Pick<ApiRequest, "body">>;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly target: Target;
  readonly warnings = new Warnings();
  readonly pause: Pause;
  auditId: string | undefined;
  /** What is told of it; undefined when nothing is. */
  audit: AuditTrail | undefined;

  constructor(request: ApiRequest | UpgradeRequest, clock: Clock) {
    this.request = request;
    this.pause = pausesOn(clock);
    const [path = "", ...query] = request.path.split("?");
    this.path = path;
    this.query = new URLSearchParams(query.join("?"));
    this.target = targetOf(request.method, path, this.query);
  }

  form(restrictions: Partial<Omit<Negotiation, "accept" | "pretty">> = {}): Form {
    return negotiate({
      streams: false,
      watch: false,
      transforms: "all",
      custom: false,
      ...restrictions,
      accept: headerOf(this.request.headers, "accept"),
      pretty: this.#isPretty(),
    });
  }

  /** People who ask with the tools that people ask with get lines that they can read. */
  #isPretty(): boolean {
    const asked = this.query.get("pretty") ?? "";
    if (asked !== "") return flag(this.query, "pretty");
    return /^(?:curl|Wget|Mozilla\/5\.0)/u.test(headerOf(this.request.headers, "user-agent"));
  }

  /** Errors are JSON for those who accept nothing that is served. */
  errorForm(): Form {
    try {
      return this.form({ transforms: "none" });
    } catch {
      return { encoding: "json", as: undefined, pretty: true };
    }
  }
}
