import {
  requestEntityTooLarge,
  StatusError,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type MessageStream,
  type UpgradeRequest,
} from "@kedge/machinery";
import { authenticate } from "../auth/authenticate.ts";
import { attributesOf, authorize } from "../auth/authorize.ts";
import { Impersonation } from "../auth/impersonate.ts";
import type { Attributes, Authenticator, Authorizer } from "../auth/types.ts";
import type { Core } from "../core.ts";
import type { Resource, User } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { negotiate, type Form } from "../request/negotiate.ts";
import { pausesOn, type Pause } from "../request/pause.ts";
import { flag, targetOf, type ResourceTarget, type Target } from "../request/target.ts";
import { compressed } from "../response/compress.ts";
import { headerOf } from "../request/header.ts";
import { bytesResponse } from "../response/responses.ts";
import { errorResponse, noSuchMethod, noSuchResource } from "../response/status-response.ts";
import { get } from "../verbs/get.ts";
import { OpenStreams } from "./open-streams.ts";
import { admitConnection } from "./admit-connection.ts";
import { pageNotFound, servePath, type Paths } from "./serve-path.ts";
import { serveResource } from "./serve-resource.ts";
import { Warnings } from "./warnings.ts";

/** What requests go through. */
export interface PipelineOptions {
  readonly core: Core;
  readonly paths: Paths;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly onRefused?: ((attributes: Attributes) => void) | undefined;
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
    const call = new Call(request, this.#options.core.clock);
    try {
      const response = await this.#serve(call, known);
      return await this.#finish(call, response);
    } catch (error) {
      // Writing the answer takes long when much is wrong with a large object: others come first.
      await call.pause();
      return await this.#finish(call, this.#failed(call, error));
    }
  }

  async upgrade(request: UpgradeRequest, known: Sender): Promise<MessageStream | ApiResponse> {
    const call = new Call(request, this.#options.core.clock);
    try {
      return await this.#upgrade(call, request, known);
    } catch (error) {
      return await this.#finish(call, this.#failed(call, error));
    }
  }

  async #serve(call: Call, known: Sender): Promise<ApiResponse> {
    const { request, target } = call;
    const user = this.#authorized(call, known);
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
    if (resource.deprecationWarning !== undefined) asked.warn(resource.deprecationWarning);
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
    return await subresource.upgrade({ object, objects, query: call.query }, request);
  }

  /** Who asks, if they may. */
  #authorized({ request, target, path }: Call, known: Sender): User {
    const { authenticator, authorizer } = this.#options;
    const sender = authenticate(known, request.headers, authenticator);
    const asked = attributesOf(sender, target, path);
    const user = this.#impersonation.actingUser(asked, request.headers);
    const acting = user === sender ? asked : { ...asked, user };
    try {
      authorize(authorizer, acting);
    } catch (error) {
      this.#options.onRefused?.(acting);
      throw error;
    }
    return user;
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
        tables: resource.review === undefined,
      }),
      clock,
      signal: request.signal,
      checkCreate: () => {
        authorize(this.#options.authorizer, { ...attributesOf(user, target, call.path), verb: "create" });
      },
      warn: (text) => warnings.add(text),
      pause: call.pause,
    };
  }

  #failed(call: Call, error: unknown): ApiResponse {
    if (!(error instanceof StatusError)) {
      const { method, path } = call.request;
      this.#options.core.logger.error("A request failed", { error, method, path: path.split("?")[0] ?? "" });
    }
    return errorResponse(error, call.errorForm());
  }

  async #finish(call: Call, response: ApiResponse): Promise<ApiResponse> {
    const { core } = this.#options;
    const { request, warnings } = call;
    const auditId = headerOf(request.headers, "audit-id");
    const headers = {
      ...response.headers,
      "audit-id": auditId === "" ? core.random.uuid() : auditId,
      ...(warnings.headers.length > 0 && { warning: warnings.headers }),
    };
    if (request.method === "HEAD") return { ...bytesResponse(response.status, "", headers) };
    return await compressed(
      { ...response, headers },
      headerOf(request.headers, "accept-encoding"),
      core.clock,
    );
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

  constructor(request: ApiRequest | UpgradeRequest, clock: Clock) {
    this.request = request;
    this.pause = pausesOn(clock);
    const [path = "", ...query] = request.path.split("?");
    this.path = path;
    this.query = new URLSearchParams(query.join("?"));
    this.target = targetOf(request.method, path, this.query);
  }

  form({ watch = false, streams = false, tables = true } = {}): Form {
    return negotiate({
      accept: headerOf(this.request.headers, "accept"),
      streams,
      watch,
      tables,
      pretty: this.query.has("pretty") && flag(this.query, "pretty"),
    });
  }

  /** Errors are JSON for those who accept nothing that is served. */
  errorForm(): Form {
    try {
      return this.form();
    } catch {
      return { encoding: "json", as: undefined, pretty: false };
    }
  }
}

function bodyOf(body: ApiRequest["body"]): Uint8Array {
  if (body === undefined) return new Uint8Array();
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
