import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  validateLabelSelector,
  validatePortNumber,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import {
  NetworkPolicy,
  type IPBlock,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  type NetworkPolicySpec,
} from "@kedge/machinery/kinds/networking/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { containsCidr, parseCidr, validateCidr, warningsForCidr } from "../validation/cidr.ts";
import { named } from "../validation/field-rules.ts";
import { validatePort } from "../validation/port.ts";

const protocols = ["TCP", "UDP", "SCTP"];
const types = ["Ingress", "Egress"];

/** What is wrong with a network policy. A range that it had before stays as it is, right or not. */
export function validateNetworkPolicy(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const spec = specOf(object);
  const known =
    previous === undefined ? [] : blocksOf(specOf(previous)).flatMap(({ block }) => rangesOf(block));
  const path = fieldPath("spec");
  return [
    ...validateLabelSelector(labelSelectorOf(spec.podSelector), path.child("podSelector")),
    ...rulesOf(spec).flatMap(({ ports, peers, rule, side }) => [
      ...ports.flatMap((port, i) => portErrors(port, rule.child("ports").index(i))),
      ...peers.flatMap((peer, i) => peerErrors(peer, known, rule.child(side).index(i))),
    ]),
    ...typeErrors(spec.policyTypes ?? [], path.child("policyTypes")),
  ];
}

/** Ranges of addresses that are not written as they should be. */
export function networkPolicyWarnings(object: StoredApiObject): readonly string[] {
  return blocksOf(specOf(object)).flatMap(({ block, path }) => [
    ...warningsForCidr(block.cidr ?? "", path.child("cidr")),
    ...(block.except ?? []).flatMap((range, i) => warningsForCidr(range, path.child("except").index(i))),
  ]);
}

interface Rule {
  readonly ports: readonly Decoded<NetworkPolicyPort>[];
  readonly peers: readonly Decoded<NetworkPolicyPeer>[];
  readonly rule: FieldPath;
  readonly side: "from" | "to";
}

function specOf(object: StoredApiObject): Decoded<NetworkPolicySpec> {
  return decodedAs(NetworkPolicy, object).spec ?? {};
}

/** The rules of both directions. */
function rulesOf({ ingress, egress }: Decoded<NetworkPolicySpec>): readonly Rule[] {
  const path = fieldPath("spec");
  return [
    ...(ingress ?? []).map(({ ports, from }, i) => ({
      ports: ports ?? [],
      peers: from ?? [],
      rule: path.child("ingress").index(i),
      side: "from" as const,
    })),
    ...(egress ?? []).map(({ ports, to }, i) => ({
      ports: ports ?? [],
      peers: to ?? [],
      rule: path.child("egress").index(i),
      side: "to" as const,
    })),
  ];
}

function blocksOf(
  spec: Decoded<NetworkPolicySpec>,
): readonly { readonly block: Decoded<IPBlock>; readonly path: FieldPath }[] {
  return rulesOf(spec).flatMap(({ peers, rule, side }) =>
    peers.flatMap(({ ipBlock }, i) =>
      ipBlock === undefined ? [] : [{ block: ipBlock, path: rule.child(side).index(i).child("ipBlock") }],
    ),
  );
}

function rangesOf({ cidr = "", except }: Decoded<IPBlock>): readonly string[] {
  return [cidr, ...(except ?? [])];
}

function portErrors({ protocol, port, endPort }: Decoded<NetworkPolicyPort>, path: FieldPath): FieldError[] {
  const end = path.child("endPort");
  const never = (why: string): FieldError[] =>
    endPort === undefined ? [] : [fieldInvalid(end, endPort, `may not be specified when \`port\` is ${why}`)];
  return [
    ...(protocol === undefined || protocols.includes(protocol)
      ? []
      : [fieldNotSupported(path.child("protocol"), protocol, protocols)]),
    ...(port === undefined ? never("not specified") : []),
    ...(typeof port === "string" ? never("non-numeric") : []),
    ...(port === undefined ? [] : validatePort(port, path.child("port"))),
    ...(typeof port === "number" && endPort !== undefined
      ? [
          // The value that Kubernetes shows is that of `port`.
          ...(endPort < port ? [fieldInvalid(end, port, "must be greater than or equal to `port`")] : []),
          ...named(endPort, validatePortNumber, end),
        ]
      : []),
  ];
}

function peerErrors(
  { podSelector, namespaceSelector, ipBlock }: Decoded<NetworkPolicyPeer>,
  known: readonly string[],
  path: FieldPath,
): FieldError[] {
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    ...validateLabelSelector(labelSelectorOf(podSelector), path.child("podSelector")),
    ...validateLabelSelector(labelSelectorOf(namespaceSelector), path.child("namespaceSelector")),
    ...(ipBlock === undefined ? [] : blockErrors(ipBlock, known, path.child("ipBlock"))),
    ...(!hasSelector && ipBlock === undefined ? [fieldRequired(path, "must specify a peer")] : []),
    ...(hasSelector && ipBlock !== undefined
      ? [fieldForbidden(path, "may not specify both ipBlock and another peer")]
      : []),
  ];
}

function blockErrors(
  { cidr = "", except }: Decoded<IPBlock>,
  known: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (cidr === "") return [fieldRequired(path.child("cidr"))];
  const check = (range: string, at: FieldPath): FieldError[] =>
    known.includes(range) ? [] : validateCidr(range, at);
  const whole = parseCidr(cidr);
  const errors = check(cidr, path.child("cidr"));
  if (whole === undefined) return errors;
  return [
    ...errors,
    ...(except ?? []).flatMap((range, i) => {
      const at = path.child("except").index(i);
      const part = parseCidr(range);
      const isInside = part === undefined || (containsCidr(whole, part) && whole.bits < part.bits);
      return [
        ...check(range, at),
        ...(isInside ? [] : [fieldInvalid(at, range, "must be a strict subset of `cidr`")]),
      ];
    }),
  ];
}

function typeErrors(sent: readonly string[], path: FieldPath): FieldError[] {
  if (sent.length > types.length)
    return [fieldInvalid(path, sent, "may not specify more than two policyTypes")];
  return sent.flatMap((type, i) =>
    types.includes(type) ? [] : [fieldNotSupported(path.index(i), type, types)],
  );
}
