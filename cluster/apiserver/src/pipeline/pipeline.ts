import {
  requestEntityTooLarge,
  StatusError,
  statusOf,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type MessageStream,
  type UpgradeRequest,
} from "@kedge/machinery";
import { beginAudit, type AuditOptions, type AuditTrail } from "../audit/auditor.ts";
import { tellResponse, tellStream } from "../audit/tell-response.ts";
import { authenticate } from "../auth/authenticate.ts";
import { attributesOf, authorize } from "../auth/authorize.ts";
import { Impersonation } from "../auth/impersonate.ts";
import type { Attributes, Authenticator, Authorizer } from "../auth/types.ts";
import type { Core } from "../core.ts";
import { builtinEncoder } from "../protobuf/index.ts";
import type { Resource, User } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { negotiate, type Form, type Negotiation } from "../request/negotiate.ts";
import { pausesOn, type Pause } from "../request/pause.ts";
import { flag, targetOf, type ResourceTarget, type Target } from "../request/target.ts";
import { compressed } from "../response/compress.ts";
import { headerOf } from "../request/header.ts";
import { bytesResponse } from "../response/responses.ts";
import { errorResponse, noSuchMethod, noSuchResource } from "../response/status-response.ts";
import { prefixFor } from "../storage/keys.ts";
import { get } from "../verbs/get.ts";
import { OpenStreams } from "./open-streams.ts";
import type { RequestLabels, RequestMetrics } from "../metrics/index.ts";
import { admitConnection } from "./admit-connection.ts";
import { requestLabels } from "./request-labels.ts";
import { isLongRunning, type RequestLimits } from "./request-limits.ts";
import { pageNotFound, servePath, type Paths } from "./serve-path.ts";
import { serveResource } from "./serve-resource.ts";
import { Warnings } from "./warnings.ts";

/** What requests go through. */
export interface PipelineOptions {
  readonly core: Core;
  readonly paths: Paths;
  readonly requests: RequestMetrics;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly onDecided?: ((attributes: Attributes, isAllowed: boolean) => void) | undefined;
  readonly audit?: AuditOptions | undefined;
  readonly limits: RequestLimits;
}

/** Who sends a request, by the client certificate of its connection: undefined without one, `refused` with one that is not trusted. */
export type Sender = User | "refused" | undefined;

/** Bodies may have so many bytes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/**
 * From a request to its answer: who asks, whether they may, what they ask, the answer in the form that they accept.
 * `known` is who the sender is by certificate. Never throws: an error is an answer, too.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #streams = new OpenStreams();
  readonly #impersonation: Impersonation;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#impersonation = new Impersonation(options.authorizer);
  }

  async handle(request: ApiRequest, known: Sender): Promise<ApiResponse> {
    const answered = this.#options.requests.begin(request.method);
    const call = new Call(request, this.#options.core.clock);
    const response = await this.#answerInTime(call, known);
    answered(this.#labelsOf(call), response.status);
    return response;
  }

  async #answerInTime(call: Call, known: Sender): Promise<ApiResponse> {
    if (isLongRunning(call.target)) return await this.#answer(call, known);
    const late = async (error: unknown): Promise<ApiResponse> => {
      const response = await this.#finish(call, this.#failed(call, error));
      // Of what comes of it in the end nobody hears.
      call.audit = undefined;
      return response;
    };
    try {
      return await this.#options.limits.inTime(call.query, () => this.#answer(call, known), late);
    } catch (error) {
      return await late(error);
    }
  }

  async #answer(call: Call, known: Sender): Promise<ApiResponse> {
    try {
      const response = await this.#serve(call, known);
      return await this.#finish(call, response);
    } catch (error) {
      // Writing the answer takes long when much is wrong with a large object: others come first.
      await call.pause();
      return await this.#finish(call, this.#failed(call, error));
    }
  }

  #labelsOf({ request, target, query }: Call): RequestLabels {
    const { registry } = this.#options.core;
    const resource =
      target.type === "path" ? undefined : registry.resource(target.group, target.version, target.plural);
    return requestLabels(request, { target, resource, dryRun: query.has("dryRun") });
  }

  async upgrade(request: UpgradeRequest, known: Sender): Promise<MessageStream | ApiResponse> {
    const call = new Call(request, this.#options.core.clock);
    try {
      const opened = await this.#upgrade(call, request, known);
      if (!("status" in opened)) tellStream(call.audit, request.signal);
      return opened;
    } catch (error) {
      return await this.#finish(call, this.#failed(call, error));
    }
  }

  async #serve(call: Call, known: Sender): Promise<ApiResponse> {
    const { target } = call;
    const user = this.#authorized(call, known);
    const attributes = attributesOf(user, target, call.path);
    // Logs that are followed and proxied requests last as long as their clients like: as a seat, a few would be all.
    if (isLongRunning(target) && attributes.verb !== "watch") return await this.#serveSeated(call, user);
    const objects = (): number => this.#objectsOf(target, call.query);
    return await this.#options.limits.seated({ attributes, objects }, () => this.#serveSeated(call, user));
  }

  /** How many objects an answer is made of: one, or those of a list. */
  #objectsOf(target: Target, query: URLSearchParams): number {
    if (target.type === "path" || !["list", "deletecollection"].includes(target.verb)) return 1;
    const { registry, storage } = this.#options.core;
    const resource = registry.resource(target.group, target.version, target.plural);
    if (resource === undefined || resource.computed !== undefined) return 1;
    const { count } = storage.cache(resource.storage).list(prefixFor(resource, target.namespace));
    const limit = Number(query.get("limit") ?? "");
    return limit > 0 ? Math.min(limit, count) : count;
  }

  async #serveSeated(call: Call, user: User): Promise<ApiResponse> {
    const { request, target } = call;
    if (target.type === "path") {
      return await servePath(this.#options.paths, request, {
        path: call.path,
        query: call.query,
        form: () => call.form(),
        knowsGroup: (group) => this.#knowsGroup(group),
      });
    }
    const resource = this.#resourceOf(target);
    if (resource === undefined) return pageNotFound();
    if (!methods.has(request.method)) throw noSuchMethod();
    const asked = this.#requestOf(call, { resource, target, user });
    const isServed = [...resource.verbs, "watch"].some((verb) => verb === target.verb);
    if (resource.deprecationWarning !== undefined && isServed) asked.warn(resource.deprecationWarning);
    return await serveResource(this.#options.core, asked, { verb: target.verb, sent: request });
  }

  async #upgrade(call: Call, request: UpgradeRequest, known: Sender): Promise<MessageStream | ApiResponse> {
    const { target } = call;
    const user = this.#authorized(call, known);
    if (target.type === "path") return await this.#finish(call, pageNotFound());
    const resource = this.#resourceOf(target);
    if (resource === undefined) return await this.#finish(call, pageNotFound());
    const subresource = resource.subresources.get(target.subresource);
    if (subresource?.type !== "connect" || subresource.upgrade === undefined) throw noSuchMethod();
    const { core } = this.#options;
    const asked = this.#requestOf(call, { resource, target, user });
    await admitConnection(core, asked, subresource);
    const { object } = (await get(core, asked)).as(resource);
    const { objects } = core;
    if (request.signal !== undefined) this.#streams.add(user.name, request.signal);
    return await subresource.upgrade({ name: asked.name, object, objects, query: call.query }, request);
  }

  /** Who asks, if they may. */
  #authorized(call: Call, known: Sender): User {
    const { request, target, path } = call;
    const { authenticator } = this.#options;
    let sender: User;
    try {
      sender = authenticate(known, request.headers, authenticator);
    } catch (error) {
      this.#beginAudit(call, attributesOf({ name: "", groups: [] }, target, path));
      throw error;
    }
    const asked = attributesOf(sender, target, path);
    this.#beginAudit(call, asked);
    const user = this.#impersonation.actingUser(asked, request.headers);
    const acting = user === sender ? asked : { ...asked, user };
    if (user !== sender) call.audit?.impersonated(user);
    this.#authorize(acting, call.audit);
    return user;
  }

  #beginAudit(call: Call, attributes: Attributes): void {
    const { audit, core } = this.#options;
    if (audit === undefined) return;
    const { headers, path: uri, source } = call.request;
    call.auditId ??= headerOf(headers, "audit-id") || core.random.uuid();
    call.audit = beginAudit(audit, { auditId: call.auditId, attributes, uri, headers, source }, core.clock);
  }

  /** Throws a 403 when they may not. */
  #authorize(attributes: Attributes, audit?: AuditTrail): void {
    const { authorizer, onDecided } = this.#options;
    try {
      authorize(authorizer, attributes);
    } catch (error) {
      audit?.decided(false);
      onDecided?.(attributes, false);
      throw error;
    }
    audit?.decided(true);
    onDecided?.(attributes, true);
  }

  /** The resource; undefined when its group version is not served at all. Throws a 404 when only it is not. */
  #resourceOf({ group, version, plural }: ResourceTarget): Resource | undefined {
    const { registry } = this.#options.core;
    const found = registry.resource(group, version, plural);
    if (found !== undefined) return found;
    if (!this.#knowsGroup(group)) return undefined;
    throw noSuchResource();
  }

  /** Whether a group is a built-in one. Those of custom resources are as if they were not there where they have nothing. */
  #knowsGroup(group: string): boolean {
    const { registry } = this.#options.core;
    return registry.all().some((each) => each.group === group && each.custom === undefined);
  }

  #requestOf(
    call: Call,
    { resource, target, user }: { resource: Resource; target: ResourceTarget; user: User },
  ): ResourceRequest {
    const { request, query, warnings } = call;
    const { clock } = this.#options.core;
    const body = bodyOf("body" in request ? request.body : undefined);
    if (body.length > maxBodyBytes) throw requestEntityTooLarge(`limit is ${maxBodyBytes}`);
    const isWatch = target.verb === "watch";
    if (call.audit?.wantsRequest === true) call.audit.sent(sentUndecoded(target.verb, body));
    return {
      resource,
      subresource: target.subresource,
      namespace: target.plural === "namespaces" ? "" : target.namespace,
      name: target.name,
      user,
      query,
      headers: request.headers,
      body,
      form: call.form({
        watch: isWatch,
        streams: target.name === "" && request.method === "GET",
        transforms: resource.review === undefined ? "all" : "no tables",
        custom: resource.custom !== undefined || !builtinEncoder().knows(resource),
      }),
      clock,
      signal: request.signal,
      checkCreate: () => {
        this.#authorize({ ...attributesOf(user, target, call.path), verb: "create" });
      },
      warn: (text) => warnings.add(text),
      pause: call.pause,
      ...(call.audit !== undefined && {
        onObject: (object: unknown) => call.audit?.sent(object),
        annotate: (key: string, value: string) => call.audit?.annotate(key, value),
      }),
    };
  }

  #failed(call: Call, error: unknown): ApiResponse {
    if (!(error instanceof StatusError)) {
      const { method, path } = call.request;
      this.#options.core.logger.error("A request failed", { error, method, path: path.split("?")[0] ?? "" });
    }
    call.audit?.failed(statusOf(error));
    return errorResponse(error, call.errorForm());
  }

  async #finish(call: Call, response: ApiResponse): Promise<ApiResponse> {
    const { core } = this.#options;
    const { request, warnings, audit, target } = call;
    const isWatch = target.type === "resource" && target.verb === "watch";
    const told = audit === undefined ? response : tellResponse(audit, response, isWatch);
    call.auditId ??= headerOf(request.headers, "audit-id") || core.random.uuid();
    const headers = {
      ...response.headers,
      "audit-id": call.auditId,
      ...(warnings.headers.length > 0 && { warning: warnings.headers }),
    };
    if (request.method === "HEAD") return { ...bytesResponse(response.status, "", headers) };
    return await compressed({ ...told, headers }, headerOf(request.headers, "accept-encoding"), core.clock);
  }
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** A request, with what follows from it alone. */
class Call {
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

/** What is told of a body that is no object of its own: a patch as it was sent, the options of a deletion. */
function sentUndecoded(verb: string, body: Uint8Array): unknown {
  if (verb === "patch") return jsonOf(body);
  if (verb !== "delete" && verb !== "deletecollection") return undefined;
  const options = jsonOf(body);
  const kind = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal" };
  return { ...(typeof options === "object" && options), ...kind };
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

function bodyOf(body: ApiRequest["body"]): Uint8Array {
  if (body === undefined) return new Uint8Array();
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
