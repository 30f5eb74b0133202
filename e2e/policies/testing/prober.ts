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
  return {
    async reaches(attempts) {
      child.stdin.write(`${JSON.stringify(attempts)}\n`);
      return JSON.parse(await next()) as readonly boolean[];
    },
    async [Symbol.asyncDispose]() {
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
const connect = ({ address, port }) => new Promise((resolve) => {
  const socket = net.connect(port, address);
  const done = (is) => { resolve(is); socket.destroy(); };
  socket.once("data", () => done(true)).once("error", () => done(false)).setTimeout(2000, () => done(false));
});
const ask = ({ address, port }) => new Promise((resolve) => {
  const socket = dgram.createSocket("udp4");
  const done = (is) => { clearTimeout(timer); resolve(is); socket.close(); };
  const timer = setTimeout(() => done(false), 300);
  socket.once("message", () => done(true)).once("error", () => done(false));
  socket.connect(port, address, () => socket.send("?", () => undefined));
});
const servers = [
  ...tcp.map((port) => new Promise((resolve) => net.createServer((s) => s.on("error", () => undefined).end("!")).listen(port, "0.0.0.0", resolve))),
  ...udp.map((port) => new Promise((resolve) => {
    const socket = dgram.createSocket("udp4");
    socket.on("message", (_, from) => socket.send("!", from.port, from.address)).on("error", () => undefined).bind(port, "0.0.0.0", resolve);
  })),
];
Promise.all(servers).then(() => {
  console.log("listening");
  require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
    const answers = await Promise.all(JSON.parse(line).map((attempt) => (attempt.protocol === "TCP" ? connect : ask)(attempt)));
    console.log(JSON.stringify(answers));
  });
});`;
