import {
  formatMicroTime,
  parseJsonExactly,
  type ApiHeaders,
  type Clock,
  type Status,
} from "@kedge/machinery";
import type { Attributes } from "../auth/types.ts";
import { headerOf } from "../request/header.ts";
import type { User } from "../registry/types.ts";
import { hasAtMostValues } from "./json-values.ts";
import { matchingRule } from "./matching-rule.ts";
import { redact } from "./redact.ts";
import type { AuditPolicy, AuditRule, AuditSink, AuditStage } from "./types.ts";

/** What an audit log is made of. */
export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
}

/** What is known of a request when it comes. */
export interface AuditedCall {
  readonly auditId: string;
  readonly attributes: Attributes;
  /** Path and query as they were sent. */
  readonly uri: string;
  readonly headers: ApiHeaders;
  /** The address that it came from, if it came by the network. */
  readonly source?: string | undefined;
}

const longestUserAgent = 1024;
/** Of an answer that is longer, only that it was given is told: kube-apiserver's limit for one event. */
const mostBytes = 10 * 1024 * 1024;
/** So it is of bodies with more values: they are read in one turn, which takes time by their number. */
const mostValues = 50_000;
/** Answers up to so many bytes are looked at for a Status, whatever is told of them. */
const statusBytes = 64 * 1024;

/** Begins to tell of a request; undefined when the policy has nothing of it told. */
export function beginAudit(
  { policy, sink }: AuditOptions,
  call: AuditedCall,
  clock: Clock,
): AuditTrail | undefined {
  const rule = matchingRule(policy, call.attributes);
  return rule === undefined ? undefined : new AuditTrail(rule, { sink, call, clock });
}

/** What is told of one request, stage by stage. */
export class AuditTrail {
  readonly #rule: AuditRule;
  readonly #sink: AuditSink;
  readonly #call: AuditedCall;
  readonly #clock: Clock;
  readonly #received: string;
  readonly #annotations: Record<string, string> = {};
  #impersonated: User | undefined;
  #requestObject: unknown;
  #sentMetadata: ReadonlyMap<string, unknown> = new Map();
  #failure: Status | undefined;

  constructor(rule: AuditRule, parts: { sink: AuditSink; call: AuditedCall; clock: Clock }) {
    this.#rule = rule;
    this.#sink = parts.sink;
    this.#call = parts.call;
    this.#clock = parts.clock;
    this.#received = formatMicroTime(parts.clock.now());
    this.#tell("RequestReceived", {});
  }

  get wantsRequest(): boolean {
    return this.#rule.level === "Request" || this.#rule.level === "RequestResponse";
  }

  get wantsResponse(): boolean {
    return this.#rule.level === "RequestResponse";
  }

  impersonated(user: User): void {
    this.#impersonated = user;
  }

  decided(isAllowed: boolean, reason = ""): void {
    this.#annotations["authorization.k8s.io/decision"] = isAllowed ? "allow" : "forbid";
    this.#annotations["authorization.k8s.io/reason"] = reason;
  }

  /** What a plug-in of admission has to say of it. */
  annotate(key: string, value: string): void {
    this.#annotations[key] = value;
  }

  /** What was sent and is no object of its own: a patch, or options. */
  sentJson(body: Uint8Array, told: (sent: unknown) => unknown = (sent) => sent): void {
    if (!this.wantsRequest) return;
    if (hasAtMostValues(body, mostValues)) this.sent(told(jsonOf(body)));
    else this.#truncated();
  }

  /** What was sent, when it has been understood. */
  sent(object: unknown): void {
    // A copy: what was sent is what admission and defaults go on with.
    if (typeof object === "object" && object !== null && "metadata" in object)
      this.#sentMetadata = new Map(Object.entries(object.metadata ?? {}));
    if (this.wantsRequest && object !== undefined) this.#requestObject = structuredClone(this.#shown(object));
  }

  failed(status: Status): void {
    this.#failure = status;
  }

  /** The head of an answer that goes on for long. */
  started(code: number): void {
    this.#tell("ResponseStarted", { responseStatus: this.#statusOf(code) });
  }

  /** The answer is complete; `body` is its JSON, where there is one. */
  complete(code: number, body?: Uint8Array | "too large"): void {
    const responseObject = this.#responseOf(body);
    const responseStatus = this.#statusOf(code, responseObject);
    this.#tell("ResponseComplete", {
      responseStatus,
      ...(this.#requestObject !== undefined && { requestObject: this.#requestObject }),
      ...(responseObject !== undefined &&
        this.wantsResponse && { responseObject: this.#shown(responseObject) }),
    });
  }

  #responseOf(body: Uint8Array | "too large" | undefined): unknown {
    if (body === undefined || body.length === 0) return undefined;
    if (!this.wantsResponse && body.length > statusBytes) return undefined;
    if (body !== "too large" && hasAtMostValues(body, mostValues)) return jsonOf(body);
    this.#truncated();
    return undefined;
  }

  #truncated(): void {
    this.#annotations["audit.k8s.io/truncated"] = "true";
  }

  #statusOf(code: number, object?: unknown): object {
    const own = this.#failure ?? (isStatus(object) ? object : undefined);
    if (own === undefined) return { metadata: {}, code };
    const { status, message, reason, details } = own;
    return {
      metadata: {},
      ...(status !== undefined && { status }),
      ...(message !== undefined && { message }),
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      code,
    };
  }

  #shown(object: unknown): unknown {
    const { plural = "", subresource = "" } = this.#call.attributes.resource ?? {};
    const { omitManagedFields } = this.#rule;
    return redact(object, { plural, subresource, omitManagedFields });
  }

  #tell(stage: AuditStage, more: object): void {
    if (this.#rule.omitStages.has(stage)) return;
    const { auditId, attributes, uri, headers, source } = this.#call;
    const { responseStatus, ...objects } = { responseStatus: undefined, ...more };
    const userAgent = headerOf(headers, "user-agent");
    const event = {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: this.#rule.level,
      auditID: auditId,
      stage,
      requestURI: uri,
      verb: attributes.verb,
      user: userInfo(attributes.user),
      ...(this.#impersonated !== undefined && { impersonatedUser: userInfo(this.#impersonated) }),
      ...(source !== undefined && { sourceIPs: [source] }),
      ...(userAgent !== "" && { userAgent: shortened(userAgent) }),
      ...(attributes.resource !== undefined && { objectRef: this.#objectRef(attributes.resource) }),
      ...(responseStatus !== undefined && { responseStatus }),
      ...objects,
      requestReceivedTimestamp: this.#received,
      stageTimestamp: formatMicroTime(this.#clock.now()),
      ...(Object.keys(this.#annotations).length > 0 && { annotations: this.#annotations }),
    };
    this.#sink.write(`${JSON.stringify(event)}\n`);
  }

  #objectRef(resource: NonNullable<Attributes["resource"]>): object {
    const { plural, subresource, group, version } = resource;
    const own = (name: string): string => {
      const value = this.#sentMetadata.get(name);
      return typeof value === "string" ? value : "";
    };
    const fields = {
      resource: plural,
      namespace: resource.namespace === "" ? own("namespace") : resource.namespace,
      name: resource.name === "" ? own("name") : resource.name,
      uid: own("uid"),
      apiGroup: group,
      apiVersion: version,
      resourceVersion: own("resourceVersion"),
      subresource,
    };
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
  }
}

/** So much of an answer is kept to be told. */
export const mostResponseBytes = mostBytes;

function userInfo({ name, uid, groups, extra }: User): object {
  return {
    ...(name !== "" && { username: name }),
    ...(uid !== undefined && uid !== "" && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
  };
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return parseJsonExactly(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.length > longestUserAgent ? `${text.slice(0, longestUserAgent)}...TRUNCATED` : text;
}

function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
