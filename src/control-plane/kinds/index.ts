import type { DocumentKind } from "../storage/storage.ts";
import { alertChannelKind } from "./alert-channel.ts";
import { clientCertificateKind } from "./client-certificate.ts";
import { dashboardKind } from "./dashboard.ts";
import type { AnyDocumentKind } from "./document-kind.ts";
import { incidentKind } from "./incident.ts";
import { maintenanceWindowKind } from "./maintenance-window.ts";
import { snippetKind } from "./snippet.ts";
import { statusPageKind } from "./status-page.ts";
import { statusPageIncidentKind } from "./status-page-incident.ts";
import { statusPageServiceKind } from "./status-page-service.ts";
import { variableKind } from "./variable.ts";

/** How each kind of document is stored and shown; null for those that only code of their own writes. */
export const documentKinds: Readonly<Record<DocumentKind, AnyDocumentKind | null>> = {
  "alert-channel": alertChannelKind,
  "check-group": null,
  "client-certificate": clientCertificateKind,
  dashboard: dashboardKind,
  "deployment-trigger": null,
  incident: incidentKind,
  maintenance: null,
  "maintenance-window": maintenanceWindowKind,
  snippet: snippetKind,
  "status-page": statusPageKind,
  "status-page-incident": statusPageIncidentKind,
  "status-page-service": statusPageServiceKind,
  "status-page-subscription": null,
  trigger: null,
  variable: variableKind,
};
