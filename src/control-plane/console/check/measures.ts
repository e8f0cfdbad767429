import type { CheckTypeName } from "#contract/primitives.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { phaseName } from "../result/phases.ts";

const texts = checkPageTexts.charts;

/** What is told over time of checks of one type, by metrics of their analytics. */
export interface Measures {
  /** How long a run takes. */
  readonly time: string;
  /** Where that time goes; none where nothing is kept of it. */
  readonly phases: readonly { readonly metric: string; readonly name: string }[];
  readonly other: OtherMeasure | null;
}

/** A figure that only this type has. */
export interface OtherMeasure {
  readonly metric: string;
  readonly title: string;
  /** By how long each point stands for. */
  readonly label: (step: string) => string;
  readonly unit: "%" | "days";
}

const phases = (...metrics: readonly string[]): Measures["phases"] => metrics.map((metric) => ({ metric, name: phaseName(metric) }));

const httpMeasures: Measures = {
  time: "responseTime",
  phases: phases("wait", "dns", "tcp", "tls", "firstByte", "download"),
  other: null,
};
const others: { readonly [T in CheckTypeName]?: Measures } = {
  API: httpMeasures,
  URL: httpMeasures,
  TCP: { time: "total", phases: phases("dns", "connection", "data"), other: null },
  DNS: { time: "total", phases: [], other: null },
  ICMP: {
    time: "latencyAvg",
    phases: [],
    other: { metric: "packetLoss_avg", title: texts.packetLoss, label: texts.packetLossLabel, unit: "%" },
  },
  SSL: {
    time: "handshakeTimeMs",
    phases: [],
    other: { metric: "daysUntilExpiry_min", title: texts.expiry, label: texts.expiryLabel, unit: "days" },
  },
};

export function measuresOf(type: CheckTypeName): Measures {
  return others[type] ?? { time: "responseTime", phases: [], other: null };
}
