import { once } from "node:events";
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";

/** Where a server is, and who asks it. PEM. */
export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

interface Exchange {
  readonly body?: string | undefined;
  readonly type?: string | undefined;
  readonly onData: (chunk: Buffer) => void;
}

/** One client: a connection of its own, with nothing between it and the measurement but HTTP/2. */
export class Connection {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  static async open({ url, ...tls }: Access): Promise<Connection> {
    const session = connect(url, tls);
    await once(session, "connect");
    return new Connection(session);
  }

  /** Sends a request and reads the answer to its end; how many bytes it had. Throws unless it is a success. */
  async send(method: string, path: string, body?: string, type?: string): Promise<number> {
    let bytes = 0;
    await this.#exchange(method, path, { body, type, onData: (chunk) => (bytes += chunk.length) });
    return bytes;
  }

  /** The whole answer to a GET. */
  async read(path: string): Promise<string> {
    const chunks: Buffer[] = [];
    await this.#exchange("GET", path, { onData: (chunk) => chunks.push(chunk) });
    return Buffer.concat(chunks).toString();
  }

  /** Opens a watch, and calls back with each line. */
  async watch(path: string, onLine: (line: string) => void): Promise<ClientHttp2Stream> {
    const stream = this.#request("GET", path);
    stream.setEncoding("utf8");
    let rest = "";
    stream.on("error", () => undefined);
    stream.on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
    });
    await once(stream, "response");
    return stream;
  }

  close(): void {
    this.#session.destroy();
  }

  #exchange(method: string, path: string, { body, type, onData }: Exchange): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = this.#request(method, path, body, type);
    let status = 0;
    stream.on("response", (headers) => {
      status = Number(headers[":status"]);
    });
    stream.on("data", onData);
    stream.on("error", reject);
    stream.on("end", () => {
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`${method} ${path}: ${status}`));
    });
    return promise;
  }

  #request(method: string, path: string, body?: string, type = "application/json"): ClientHttp2Stream {
    const head = { ":method": method, ":path": path, accept: "application/json", "user-agent": "bench" };
    const content = body === undefined ? {} : { "content-type": type };
    const stream = this.#session.request({ ...head, ...content }, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    return stream;
  }
}

/** So many clients; `use` is given them, and they are closed after it. */
export async function withConnections<T>(
  access: Access,
  count: number,
  use: (connections: readonly Connection[]) => Promise<T>,
): Promise<T> {
  const connections: Connection[] = [];
  try {
    for (let i = 0; i < count; i++) connections.push(await Connection.open(access));
    return await use(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}
