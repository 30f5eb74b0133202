import { connect } from "node:net";

/** Whom to ask. */
export interface PingOptions {
  readonly host: string;
  readonly port: number;
  /** Empty for a server that asks for none. */
  readonly password: Uint8Array;
  readonly signal: AbortSignal;
}

/** Whether a Redis answers PING with PONG. One that is not there, or does not let us in, does not. */
export async function answersPing({ host, port, password, signal }: PingOptions): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: 1000 });
  const end = (): void => resolve(false);
  signal.addEventListener("abort", end);
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
    if (answer.endsWith("+PONG\r\n")) resolve(true);
    else if (/^-.*\r\n$/mu.test(answer) && answer.split("\r\n").length > 2) resolve(false);
  });
  socket.on("error", end).on("close", end).on("timeout", end);
  if (password.length > 0) {
    socket.write(`*2\r\n$4\r\nAUTH\r\n$${password.length}\r\n`);
    socket.write(password);
    socket.write("\r\n");
  }
  socket.write("PING\r\n");
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", end);
    socket.destroy();
  }
}
