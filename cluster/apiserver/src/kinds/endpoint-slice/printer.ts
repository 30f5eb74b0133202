import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { shortList } from "../../tables/text-cells.ts";

/** `kubectl get endpointslices`. */
export const endpointSlicePrinter = printerOf(
  EndpointSlice,
  [
    nameColumn,
    column("AddressType", "What kind of addresses the slice holds."),
    column("Ports", "Ports of the endpoints."),
    column("Endpoints", "Addresses of the endpoints."),
    ageColumn,
  ],
  ({ metadata, addressType, ports, endpoints }, now) => {
    const numbers = (ports ?? []).map(({ port, name }) =>
      port === undefined ? (name ?? "*") : String(port),
    );
    const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
    return [
      metadata?.name,
      addressType ?? "",
      shortList(numbers, { most: 3, none: "<unset>" }) || "<unset>",
      shortList(addresses, { most: 3, none: "<unset>" }),
      age(metadata?.creationTimestamp, now),
    ];
  },
);
