import type { NetworkCommands } from "../commands.ts";

/**
 * Which flows the kernel is to forget, of those that it tracks.
 *
 * The kernel judges and leads the first packet of a flow only. For datagrams a flow lasts as long as they come, whatever
 * has become of the pod that they went to.
 */
export interface UnwantedFlows {
  /** Addresses of pods: whatever begins or ends there, or is led there. */
  readonly ends?: readonly string[];
  /** Datagrams to services. */
  readonly services?: ServiceFlows;
}

/** Where datagrams to services may go. Flows to anywhere else are unwanted. */
export interface ServiceFlows {
  /** Where services are reached, and were: `ADDRESS PORT`, or `* PORT` for a port of the node. */
  readonly places: readonly string[];
  /** `PLACE ADDRESS PORT`: a place, and an endpoint that it leads to. */
  readonly led: readonly string[];
  /** Ranges in which there is nothing but services. */
  readonly serviceRanges: readonly string[];
  /** Who leads a port of the node to an address of this range is ours. */
  readonly podRange: string;
}

/** Lets the kernel forget these flows: the next packet of each is judged and led anew. Touches no others. */
export async function forgetFlows(
  commands: NetworkCommands,
  { ends = [], services }: UnwantedFlows,
): Promise<void> {
  const lines = [
    ...ends.map((address) => `end ${address}`),
    ...(services?.places ?? []).map((place) => `place ${place}`),
    ...(services?.led ?? []).map((flow) => `led ${flow}`),
    ...(services?.serviceRanges ?? []).map((range) => `services ${range}`),
    ...(services === undefined ? [] : [`pods ${services.podRange}`]),
  ];
  await commands.perl(program, `${lines.join("\n")}\n`);
}

/**
 * Asks the kernel for all flows that it tracks, by netlink, and deletes those that its input is about. nft cannot. Most
 * are passed over by a look at their bytes: a machine may have hundreds of thousands.
 */
const program = `use strict; use Socket;
my (%known, @ranges);
while (<STDIN>) {
  chomp;
  my ($kind, $rest) = split / /, $_, 2;
  if ($kind eq "services" || $kind eq "pods") {
    my ($address, $bits) = split m{/}, $rest;
    my $mask = ~0 << (32 - $bits) & 0xffffffff;
    push @ranges, [$kind, unpack("N", inet_aton($address)) & $mask, $mask];
  } else { $known{$kind}{$rest} = 1 }
}
sub within {
  my ($kind, $address) = @_;
  my $number = unpack("N", $address);
  return grep { $_->[0] eq $kind && ($number & $_->[2]) == $_->[1] } @ranges;
}
my $ends = join "|", map { quotemeta inet_aton($_) } keys %{$known{end}};
my $led = grep { $_->[0] eq "pods" } @ranges;
my $udp = pack("SSC", 5, 1, 17);

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
# The addresses and ports of one direction: source, destination, protocol.
sub direction {
  my ($whole) = @_;
  return unless $whole;
  my $parts = attributes($whole->[0]);
  return unless $parts->{1} && $parts->{2};
  my ($addresses, $ports) = map { attributes($parts->{$_}[0]) } 1, 2;
  return unless $addresses->{1} && $addresses->{2} && $ports->{1};
  my @ports = map { $ports->{$_} ? unpack("n", $ports->{$_}[0]) : 0 } 2, 3;
  return ($addresses->{1}[0], $ports[0], $addresses->{2}[0], $ports[1], unpack("C", $ports->{1}[0]));
}
sub unwanted {
  my ($flow) = @_;
  my ($source, undef, $to, $port, $protocol) = direction($flow->{1}) or return 0;
  my ($from, $fromPort, $back) = direction($flow->{2}) or return 0;
  return 1 if grep { $known{end}{inet_ntoa($_)} } $source, $to, $from, $back;
  return 0 unless $led && $protocol == 17;
  my ($place, $any) = (inet_ntoa($to) . " $port", "* $port");
  my $end = inet_ntoa($from) . " $fromPort";
  return 0 if $known{led}{"$place $end"} || $known{led}{"$any $end"};
  return 1 if $known{place}{$place} || within("services", $to);
  return $known{place}{$any} && $from ne $to && within("pods", $from);
}
my @found;
ask(1, 0x301, "");
answers(sub {
  return unless $led && index($_[0], $udp) >= 0 || $ends ne "" && $_[0] =~ /$ends/s;
  my $flow = attributes($_[0]);
  push @found, $flow->{1}[1] if unwanted($flow);
});
for my $flow (@found) {
  ask(2, 5, $flow . ("\\0" x (-length($flow) % 4)));
  answers(sub { });
}
print scalar @found;`;
