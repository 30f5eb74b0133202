import type { Kind, ObjectKey, UpgradeHandler } from "@kedge/machinery";
import type { TokenRequest } from "@kedge/machinery/kinds/authentication/v1";
import { ClientError } from "../client-error.ts";
import { execToEnd, type ExecToEndOptions } from "../streams/exec-to-end.ts";
import { openAttach, openExec, type CommandStreams, type ExecOptions } from "../streams/exec.ts";
import { listenPortForward } from "../streams/listen-port-forward.ts";
import { logPath, readLogLines, type LogOptions } from "../streams/logs.ts";
import type { StreamRequest } from "../streams/open-message-stream.ts";
import { openPortForward } from "../streams/port-forward.ts";
import { call, openStream, openWithin, type Call, type CallContext } from "./call.ts";
import { fromWire } from "./from-wire.ts";
import { objectPath } from "./paths.ts";
import { readText } from "../transport/read-body.ts";
import { ResourceVerbs, type Outgoing } from "./resource-verbs.ts";
import type { ForwardOptions } from "./subresources.ts";
import type { ApplyOptions, CallOptions, DeleteOptions, GetOptions, Patch, WriteOptions } from "./types.ts";

/** More of a log than this must be read line by line. */
const longestLog = 64 << 20;

/** The verbs of a kind and of its subresources. What a descriptor does not name is refused before it is sent. */
export class KindClient<T> extends ResourceVerbs<T> {
  readonly #context: CallContext;

  constructor(kind: Kind<T>, context: CallContext) {
    super(kind, context);
    this.#context = context;
  }

  get status() {
    return this.#part("status");
  }

  get approval() {
    return this.#part("approval");
  }

  get ephemeralcontainers() {
    return this.#part("ephemeralcontainers");
  }

  get resize() {
    return this.#part("resize");
  }

  get finalize() {
    return this.#part("finalize");
  }

  /** Whatever the kind, its scale is an object of autoscaling/v1. */
  get scale() {
    const { get, replace, patch } = this.#part("scale");
    return {
      get,
      replace: (scale: Outgoing, options?: WriteOptions) =>
        replace({ ...scale, apiVersion: "autoscaling/v1", kind: "Scale" }, options),
      patch,
    };
  }

  get eviction() {
    this.#checked("eviction");
    return {
      create: async (key: ObjectKey, options: DeleteOptions = {}) => {
        const { gracePeriodSeconds, propagation, preconditions, dryRun, ...rest } = options;
        const deleteOptions = {
          gracePeriodSeconds,
          propagationPolicy: propagation,
          preconditions,
          dryRun: dryRun === true ? ["All"] : undefined,
        };
        const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: key, deleteOptions };
        await this.post(key, "eviction", body, { dryRun, ...rest });
      },
    };
  }

  get binding() {
    this.#checked("binding");
    return {
      create: async (key: ObjectKey, node: string, options: WriteOptions = {}) => {
        const target = { apiVersion: "v1", kind: "Node", name: node };
        await this.post(
          key,
          "binding",
          { apiVersion: "v1", kind: "Binding", metadata: key, target },
          options,
        );
      },
    };
  }

  get token() {
    this.#checked("token");
    return {
      create: async (key: ObjectKey, spec: Partial<TokenRequest["spec"]>, options: WriteOptions = {}) => {
        const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
        return fromWire<TokenRequest>(await this.post(key, "token", body, options));
      },
    };
  }

  get log() {
    this.#checked("log");
    const request = (key: ObjectKey, options: LogOptions): Call => ({
      method: "GET",
      path: logPath(objectPath(this.kind, key, "log"), options),
      accept: "*/*",
    });
    const context = this.#context;
    return {
      async *lines(key: ObjectKey, options: LogOptions & CallOptions = {}) {
        const { opened, stop } = await openStream(context, request(key, options), options);
        try {
          yield* readLogLines(opened.body);
        } finally {
          stop.abort();
        }
      },
      text: (key: ObjectKey, options: Omit<LogOptions, "follow"> & CallOptions = {}) =>
        call(context, request(key, options), options, (answer) => readText(answer, longestLog, "fail")),
    };
  }

  get exec() {
    this.#checked("exec");
    return {
      open: (key: ObjectKey, options: ExecOptions & CallOptions) =>
        this.#open(key, "exec", options, (request) => openExec(this.#upgrade, request, options)),
      run: async (key: ObjectKey, options: ExecToEndOptions & CallOptions) => {
        using deadline = this.#context.clock.deadline(options.timeout ?? defaultRunTimeout, options.signal);
        const request = { ...this.#streamRequest(key, "exec"), signal: deadline.signal };
        return await execToEnd(this.#upgrade, request, options);
      },
    };
  }

  get attach() {
    this.#checked("attach");
    return {
      open: (key: ObjectKey, options: CommandStreams & CallOptions = {}) =>
        this.#open(key, "attach", options, (request) => openAttach(this.#upgrade, request, options)),
    };
  }

  get portforward() {
    this.#checked("portforward");
    const connect = (key: ObjectKey, options: { readonly port: number } & CallOptions) =>
      this.#open(key, "portforward", options, (request) => openPortForward(this.#upgrade, request, options));
    return {
      connect,
      listen: (key: ObjectKey, options: ForwardOptions & CallOptions) =>
        listenPortForward({
          open: (signal) => connect(key, { ...options, signal }),
          clock: this.#context.clock,
          port: options.localPort,
          onError: options.onError,
        }),
    };
  }

  #part(subresource: string) {
    this.#checked(subresource);
    return {
      get: (key: ObjectKey, options?: GetOptions) => this.get(key, options, subresource),
      replace: (object: Outgoing, options?: WriteOptions) => this.replace(object, options, subresource),
      patch: (key: ObjectKey, patch: Patch, options?: WriteOptions) =>
        this.patch(key, patch, options, subresource),
      apply: (object: Outgoing, options: ApplyOptions) => this.apply(object, options, subresource),
    };
  }

  #checked(subresource: string): void {
    const { kind, subresources } = this.kind;
    if (subresources.includes(subresource)) return;
    const known = subresources.length === 0 ? "it has none" : `it has ${subresources.join(", ")}`;
    throw new ClientError("USAGE", `${kind} has no subresource ${subresource}: ${known}`);
  }

  readonly #upgrade: UpgradeHandler = (request) => this.#context.transport.upgrade(request);

  #streamRequest(key: ObjectKey, subresource: string): StreamRequest {
    return {
      path: objectPath(this.kind, key, subresource),
      headers: { "user-agent": this.#context.userAgent },
    };
  }

  async #open<Session>(
    key: ObjectKey,
    subresource: string,
    options: CallOptions,
    open: (request: StreamRequest) => Promise<Session>,
  ): Promise<Session> {
    const request = this.#streamRequest(key, subresource);
    const { opened } = await openWithin(this.#context.clock, options, (signal) =>
      open({ ...request, signal }),
    );
    return opened;
  }
}

const defaultRunTimeout = 30_000;
