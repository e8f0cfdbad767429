/*
 * The ids that stand in the examples of the documentation. The test that replays the examples against a running server puts the ids of
 * real objects in their place; so an example names an object by one of these, and by nothing else.
 */

export const exampleIds = {
  account: "0b9c1f6e-5d0a-4c4e-9a53-2f3f8e2a7d10",
  check: "5ad93673-e4b2-4a54-8c3f-6d1b9e4f0a21",
  heartbeat: "7f0e6e0c-7a7d-4a3b-9d52-8b8a5f4f3c32",
  heartbeatEvent: "1c0d5c2e-0f5e-4a7b-a2a4-90f4d6f2b643",
  result: "c2a7d8f4-3b1e-4f60-8a1d-5e9b7c6d4f54",
  session: "9e4b1c3a-6f2d-4e8b-b7a5-1d0c9f8e7a65",
  sequence: "2d8f6a4c-1e3b-4c5d-9f7a-8b6c4d2e0f76",
  errorGroup: "8a1b2c3d-4e5f-4061-8293-a4b5c6d7e887",
  privateLocation: "3f2e1d0c-b9a8-4765-9432-1f0e9d8c7b98",
  privateLocationKey: "6c5b4a39-2817-4f06-95e4-d3c2b1a0f9a9",
  apiKey: "4b3a2918-07f6-45e4-a3d2-c1b0a9f8e7b0",
  clientCertificate: "d4c3b2a1-9f8e-4d7c-8b6a-594837261fc1",
  statusPage: "e5f6a7b8-c9d0-4e1f-a2b3-c4d5e6f7a8d2",
  statusPageService: "f6a7b8c9-d0e1-4f2a-b3c4-d5e6f7a8b9e3",
  statusPageIncident: "a7b8c9d0-e1f2-4a3b-84c5-e6f7a8b9c0f4",
  statusPageIncidentUpdate: "b8c9d0e1-f2a3-4b4c-95d6-f7a8b9c0d105",
  statusPageSubscription: "c9d0e1f2-a3b4-4c5d-a6e7-a8b9c0d1e216",
  incident: "d0e1f2a3-b4c5-4d6e-b7f8-b9c0d1e2f327",
  incidentUpdate: "e1f2a3b4-c5d6-4e7f-88a9-c0d1e2f3a438",
  maintenance: "f2a3b4c5-d6e7-4f80-99ba-d1e2f3a4b549",
  maintenanceUpdate: "03b4c5d6-e7f8-4091-aacb-e2f3a4b5c65a",
  testSession: "14c5d6e7-f809-41a2-bbdc-f3a4b5c6d76b",
  testSessionResult: "25d6e7f8-091a-42b3-8ced-04b5c6d7e87c",
  sessionCheckResult: "36e7f809-1a2b-43c4-9dfe-15c6d7e8f98d",
  dashboard: "3f9a1c7e",
  privateLocationSlug: "berlin-office",
  variableKey: "API_BASE_URL",
  group: 714_001,
  snippet: 714_002,
  alertChannel: 714_003,
  maintenanceWindow: 714_004,
  runtime: "2026.04",
} as const;
