import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A connection that is tried. */
export interface Attempt {
  readonly protocol: "TCP" | "UDP";
  readonly address: string;
  readonly port: number;
}

/** A process in a network namespace that answers on ports, and tries to connect to others. */
export interface Prober extends AsyncDisposable {
  /** Which of these connections were answered. */
  reaches(attempts: readonly Attempt[]): Promise<readonly boolean[]>;
  /** Sends a datagram, from an address that it has, or says that it has. */
  send(to: Omit<Attempt, "protocol">, text: string, from?: string): Promise<void>;
  /** Sends a datagram from this port: all of them are one flow to the kernel. */
  sendFrom(port: number, to: Omit<Attempt, "protocol">, text: string): Promise<void>;
  /** The datagrams that it has got, each in full. */
  heard(): Promise<readonly string[]>;
  /** Connects and stays so. */
  open(to: Omit<Attempt, "protocol">): Promise<boolean>;
  /** Whether what is sent over that connection comes back. */
  echoes(): Promise<boolean>;
}

/** Starts one. Resolves when it answers. */
export async function startProber(
  namespacePath: string,
  ports: { readonly tcp: readonly number[]; readonly udp: readonly number[] },
): Promise<Prober> {
  const child = spawn(
    "nsenter",
    [`--net=${namespacePath}`, process.execPath, "-e", program, JSON.stringify(ports)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error("the prober has ended");
    return line.value;
  };
  await next();
  const order = async (name: string, ...given: readonly unknown[]): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify([name, ...given])}\n`);
    return JSON.parse(await next());
  };
  return {
    reaches: async (attempts) => (await order("reaches", attempts)) as readonly boolean[],
    async send(to, text, from) {
      await order("send", to, text, from);
    },
    async sendFrom(port, to, text) {
      await order("sendFrom", port, to, text);
    },
    heard: async () => (await order("heard")) as readonly string[],
    open: async (to) => (await order("open", to)) as boolean,
    echoes: async () => (await order("echoes")) as boolean,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** What is refused is refused at once, but for datagrams: the kernel says so to each sender only now and then. */
const program = `
const net = require("node:net"), dgram = require("node:dgram");
const { tcp, udp } = JSON.parse(process.argv[1]);
const once = (act) => { let isDone = false; return (...given) => { if (!isDone) { isDone = true; act(...given); } }; };
const connect = ({ address, port }) => new Promise((resolve) => {
  const socket = net.connect(port, address);
  const done = (is) => { resolve(is); socket.destroy(); };
  socket.once("data", () => done(true)).once("error", () => done(false)).setTimeout(2000, () => done(false));
});
const ask = ({ address, port }) => new Promise((resolve) => {
  const socket = dgram.createSocket("udp4");
  const done = once((is) => { clearTimeout(timer); resolve(is); socket.close(); });
  const timer = setTimeout(() => done(false), 300);
  socket.once("message", () => done(true)).once("error", () => done(false));
  socket.connect(port, address, () => socket.send("?", () => undefined));
});
const heard = [];
let kept;
const orders = {
  reaches: (attempts) => Promise.all(attempts.map((attempt) => (attempt.protocol === "TCP" ? connect : ask)(attempt))),
  send: ({ address, port }, text, from) => new Promise((resolve) => {
    const socket = dgram.createSocket("udp4");
    const done = once(() => { socket.close(); resolve(null); });
    socket.once("error", done).bind(0, from ?? "0.0.0.0", () => socket.send(text, port, address, done));
  }),
  sendFrom: (from, { address, port }, text) => new Promise((resolve) => {
    const socket = dgram.createSocket("udp4");
    const done = once(() => { socket.close(); resolve(null); });
    socket.once("error", done).bind(from, "0.0.0.0", () => socket.send(text, port, address, done));
  }),
  heard: () => heard,
  open: ({ address, port }) => new Promise((resolve) => {
    kept = net.connect(port, address);
    kept.once("data", () => resolve(true)).once("error", () => resolve(false));
  }),
  echoes: () => new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 2000);
    kept.once("data", () => { clearTimeout(timer); resolve(true); }).write("again");
  }),
};
const answer = (socket) => { socket.on("error", () => undefined).write("!"); socket.pipe(socket); };
const servers = [
  ...tcp.map((port) => new Promise((resolve) => net.createServer(answer).listen(port, "0.0.0.0", resolve))),
  ...udp.map((port) => new Promise((resolve) => {
    const socket = dgram.createSocket("udp4").on("error", () => undefined);
    socket.on("message", (text, from) => {
      if (text.toString() !== "?") heard.push(text.toString());
      socket.send("!", from.port, from.address);
    }).bind(port, "0.0.0.0", resolve);
  })),
];
Promise.all(servers).then(() => {
  console.log("listening");
  require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
    const [name, ...given] = JSON.parse(line);
    console.log(JSON.stringify(await orders[name](...given)));
  });
});`;
