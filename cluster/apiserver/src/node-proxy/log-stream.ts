import { badRequest, type ApiResponse, type MessageStream } from "@kedge/machinery";

/** The protocols of what is only read, and whether its messages are base64. Without any name it is bytes. */
const readProtocols: ReadonlyMap<string, { readonly base64: boolean }> = new Map([
  ["", { base64: false }],
  ["binary.k8s.io", { base64: false }],
  ["base64.binary.k8s.io", { base64: true }],
]);

/** The protocol that a log is sent in. Throws a 400 when none that is offered is known. */
export function logProtocolOf(protocols: readonly string[]): string {
  const found = protocols.length === 0 ? "" : protocols.find((protocol) => readProtocols.has(protocol));
  if (found !== undefined) return found;
  const known = [...readProtocols.keys()].filter((name) => name !== "").join(" and ");
  throw badRequest(
    `log: WebSockets with the protocols ${known} are served; offered: ${protocols.join(", ")}`,
  );
}

/** A log as the messages of a WebSocket. What the client sends is not listened to. */
export function logStream({ body }: ApiResponse, protocol: string): MessageStream {
  const { base64 = false } = readProtocols.get(protocol) ?? {};
  const pieces = body[Symbol.asyncIterator]();
  return {
    protocol,
    messages: base64 ? inBase64(pieces) : { [Symbol.asyncIterator]: () => pieces },
    send: () => Promise.resolve(),
    close: async () => {
      await pieces.return?.();
    },
  };
}

async function* inBase64(pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
    yield Buffer.from(Buffer.from(next.value).toString("base64"));
}
