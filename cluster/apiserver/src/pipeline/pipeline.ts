import {
  StatusError,
  statusOf,
  type ApiRequest,
  type ApiResponse,
  type MessageStream,
  type SwitchedStream,
  type UpgradeRequest,
} from "@kedge/machinery";
import { tellResponse, tellStream } from "../audit/tell-response.ts";
import type { Asker, Remotes } from "../aggregation/index.ts";
import { attributesOf } from "../auth/authorize.ts";
import type { Core } from "../core.ts";
import type { RequestLabels, RequestMetrics } from "../metrics/index.ts";
import type { Resource, User } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { ResourceTarget, Target } from "../request/target.ts";
import { compressed } from "../response/compress.ts";
import { bytesResponse } from "../response/responses.ts";
import { errorResponse, noSuchMethod, noSuchResource } from "../response/status-response.ts";
import { prefixFor } from "../storage/keys.ts";
import { get } from "../verbs/get.ts";
import { admitConnection } from "./admit-connection.ts";
import { Call } from "./call.ts";
import { Callers, type CallersOptions, type Sender } from "./callers.ts";
import { OpenStreams } from "./open-streams.ts";
import { requestLabels } from "./request-labels.ts";
import { isLongRunning, type RequestLimits } from "./request-limits.ts";
import { resourceRequestOf, wholeBody } from "./resource-request-of.ts";
import { pageNotFound, servePath, type Paths } from "./serve-path.ts";
import { serveResource } from "./serve-resource.ts";

/** What requests go through. */
export interface PipelineOptions {
  readonly core: Core;
  readonly paths: Paths;
  readonly requests: RequestMetrics;
  /** What other servers serve. */
  readonly remotes: Remotes;
  readonly callers: Omit<CallersOptions, "clock" | "random">;
  readonly limits: RequestLimits;
}

/**
 * From a request to its answer: who asks, whether they may, what they ask, the answer in the form that they accept.
 * `known` is who the sender is by certificate. Never throws: an error is an answer, too.
 */
export class Pipeline {
  readonly #options: Omit<PipelineOptions, "callers">;
  readonly #streams = new OpenStreams();
  readonly #callers: Callers;

  constructor({ callers, ...options }: PipelineOptions) {
    this.#options = options;
    const { clock, random } = options.core;
    this.#callers = new Callers({ ...callers, clock, random });
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
    return await this.#finish(call, await this.#caught(call, () => this.#serve(call, known)));
  }

  async #caught(call: Call, serve: () => Promise<ApiResponse>): Promise<ApiResponse> {
    try {
      return await serve();
    } catch (error) {
      // Writing the answer takes long when much is wrong with a large object: others come first.
      await call.pause();
      return this.#failed(call, error);
    }
  }

  #labelsOf({ request, target, query }: Call): RequestLabels {
    const { registry } = this.#options.core;
    const resource =
      target.type === "path" ? undefined : registry.resource(target.group, target.version, target.plural);
    return requestLabels(request, { target, resource, dryRun: query.has("dryRun") });
  }

  async upgrade(
    request: UpgradeRequest,
    known: Sender,
  ): Promise<MessageStream | SwitchedStream | ApiResponse> {
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
    const { target, query, request } = call;
    const attributes = this.#callers.identify(call, known);
    const serve = async (): Promise<ApiResponse> => {
      this.#callers.authorize(attributes, call.audit);
      return await this.#serveAllowed(call, attributes.user);
    };
    // Logs that are followed and proxied requests last as long as their clients like: as a seat, a few would be all.
    if (isLongRunning(target) && attributes.verb !== "watch") return await serve();
    const objects = (): number => this.#objectsOf(target, query);
    const { signal, body } = request;
    const bytes = body?.length ?? 0;
    return await this.#options.limits.seated({ attributes, objects, query, bytes, signal }, () =>
      this.#caught(call, serve),
    );
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

  async #serveAllowed(call: Call, user: User): Promise<ApiResponse> {
    const { request, target } = call;
    const remote = this.#options.remotes.serving(call.path);
    if (remote !== undefined) {
      const body = wholeBody(request);
      return await this.#options.remotes.forward(remote, { ...request, body }, this.#askerOf(call, user));
    }
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

  async #upgrade(
    call: Call,
    request: UpgradeRequest,
    known: Sender,
  ): Promise<MessageStream | SwitchedStream | ApiResponse> {
    const { target } = call;
    const attributes = this.#callers.identify(call, known);
    this.#callers.authorize(attributes, call.audit);
    const { user } = attributes;
    const remote = this.#options.remotes.serving(call.path);
    if (remote !== undefined) {
      if (request.signal !== undefined) this.#streams.add(user.name, request.signal);
      return await this.#options.remotes.upgrade(remote, request, this.#askerOf(call, user));
    }
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

  #askerOf(call: Call, user: User): Asker {
    const { random } = this.#options.core;
    call.auditId ??= headerOf(call.request.headers, "audit-id") || random.uuid();
    return { user, auditId: call.auditId, isLongRunning: isLongRunning(call.target) };
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
    const checkCreate = (): void =>
      this.#callers.authorize({ ...attributesOf(user, target, call.path), verb: "create" });
    const { clock } = this.#options.core;
    return resourceRequestOf(call, { resource, target, user, clock, checkCreate });
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
