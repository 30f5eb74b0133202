import type { NetworkCommands } from "../commands.ts";
import type { Endpoint } from "./service-endpoints.ts";
import type { ServicePort } from "./service-ports.ts";

/** Datagrams to an address and a port of a service that went to an endpoint. */
export interface Flow {
  /** `*`: any, a port of the node. */
  readonly address: string;
  readonly port: number;
  readonly endpoint: Endpoint;
}

/**
 * The flows of datagrams that go to endpoints which their services do not have any more. Connections end by themselves;
 * datagrams of a client that keeps its port would go there as long as it sends.
 */
export function staleFlows(before: readonly ServicePort[], now: readonly ServicePort[]): readonly Flow[] {
  const left = new Set(now.flatMap(flowsOf).map(textOf));
  return before.flatMap(flowsOf).filter((flow) => !left.has(textOf(flow)));
}

/** Lets the machine forget them: the next datagram is led anew. */
export async function forgetFlows(commands: NetworkCommands, flows: readonly Flow[]): Promise<void> {
  await commands.perl(forgetProgram, `${flows.map(textOf).join("\n")}\n`);
}

function flowsOf(service: ServicePort): readonly Flow[] {
  if (service.protocol !== "udp") return [];
  const { clusterAddress, externalAddresses, balancerAddresses, port, nodePort, endpoints } = service;
  const places = [clusterAddress, ...externalAddresses, ...balancerAddresses].map((address) => ({
    address,
    port,
  }));
  if (nodePort > 0) places.push({ address: "*", port: nodePort });
  return places.flatMap((place) =>
    [...endpoints.cluster, ...endpoints.local].map((endpoint) => ({ ...place, endpoint })),
  );
}

function textOf({ address, port, endpoint }: Flow): string {
  return `${address} ${port} ${endpoint.address} ${endpoint.port}`;
}

/**
 * Asks the kernel for all connections that it tracks, by netlink, and deletes those of UDP whose first packet went to
 * what a line of the input begins with, and whose answers come from what it ends with. nft cannot.
 */
const forgetProgram = `use strict; use Socket;
my %stale = map { chomp; ($_ => 1) } <STDIN>;
socket(my $kernel, 16, SOCK_RAW, 12) or die "netlink: $!";
sub ask {
  my ($type, $flags, $body) = @_;
  my $text = pack("CCn", AF_INET, 0, 0) . $body;
  send($kernel, pack("LSSLL", 16 + length $text, 0x100 | $type, $flags, 1, 0) . $text, 0) or die "netlink: $!";
}
sub attributes {
  my ($text) = @_;
  my %found;
  while (length $text >= 4) {
    my ($length, $type) = unpack("SS", $text);
    last if $length < 4;
    $found{$type & 0x3fff} = [substr($text, 4, $length - 4), substr($text, 0, $length)];
    $length = ($length + 3) & ~3;
    $text = $length < length $text ? substr($text, $length) : "";
  }
  return \\%found;
}
sub answers {
  my ($each) = @_;
  while (sysread($kernel, my $text, 1 << 20)) {
    while (length $text >= 16) {
      my ($length, $type) = unpack("LS", $text);
      return if $type == 2 || $type == 3 || $length < 16;
      $each->(substr($text, 20, $length - 20));
      $length = ($length + 3) & ~3;
      $text = $length < length $text ? substr($text, $length) : "";
    }
  }
}
my @found;
ask(1, 0x301, "");
answers(sub {
  my $flow = attributes($_[0]);
  my ($there, $back) = map { $flow->{$_} ? attributes($flow->{$_}[0]) : {} } 1, 2;
  return unless $there->{1} && $there->{2} && $back->{1} && $back->{2};
  my ($to, $ports) = map { attributes($there->{$_}[0]) } 1, 2;
  my ($from, $fromPorts) = map { attributes($back->{$_}[0]) } 1, 2;
  return unless $ports->{1} && unpack("C", $ports->{1}[0]) == 17 && $to->{2} && $from->{1};
  my $port = unpack("n", $ports->{3}[0]);
  my $end = inet_ntoa($from->{1}[0]) . " " . unpack("n", $fromPorts->{2}[0]);
  push @found, $flow->{1}[1] if $stale{inet_ntoa($to->{2}[0]) . " $port $end"} || $stale{"* $port $end"};
});
for my $flow (@found) {
  ask(2, 5, $flow . ("\\0" x (-length($flow) % 4)));
  answers(sub { });
}
print scalar @found;`;
