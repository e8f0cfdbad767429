import { z } from "zod";

/** Runtimes that a check may name (spec 2.9), newest first. */
export const runtimeIds = ["2026.04", "2025.04", "2024.09", "2024.02", "2023.09", "2023.02", "2022.10"] as const;
export const RuntimeId = z.enum(runtimeIds);
export type RuntimeId = z.infer<typeof RuntimeId>;

/** Spec 3. */
export const runtimeStages = ["ALPHA", "BETA", "CURRENT", "DEPRECATED", "REMOVED", "STABLE"] as const;

export interface CatalogRuntime {
  readonly name: RuntimeId;
  readonly nodeJsVersion: string;
  readonly stage: (typeof runtimeStages)[number];
  /** Month/day/year: the end of life of the runtime's Node.js line, from the Node.js release schedule. */
  readonly runtimeEndOfLife: string;
  readonly description: string;
  /** Multi-step checks came with 2023.09. */
  readonly multiStepSupport: boolean;
  /** Package name to version. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Every runtime: a Node.js version and the packages that scripts may load (spec 2.16), newest first. */
export const runtimeCatalog: readonly CatalogRuntime[] = [
  {
    name: "2026.04",
    nodeJsVersion: "24.13.1",
    stage: "CURRENT",
    runtimeEndOfLife: "04/30/2028",
    description: "Node.js 24 and Playwright 1.58; packages renewed",
    multiStepSupport: true,
    dependencies: packages(`
      @playwright/test@1.58.2 @axe-core/playwright@4.11.1 @azure/identity@4.13.0 @azure/keyvault-secrets@4.10.0 @clerk/testing@1.14.2
      @faker-js/faker@10.3.0 @google-cloud/local-auth@3.0.1 @kubernetes/client-node@1.4.0 @opentelemetry/api@1.9.0
      @opentelemetry/exporter-metrics-otlp-grpc@0.212.0 @opentelemetry/sdk-metrics@2.5.1 @opentelemetry/sdk-trace-base@2.5.1
      @t3-oss/env-nextjs@0.7.3 @xmldom/xmldom@0.9.8 aws4@1.13.2 axios@1.13.5 axios-cookiejar-support@5.0.5 crypto-js@4.2.0 csv-parse@6.1.0
      date-fns@4.1.0 date-fns-tz@3.2.0 dotenv@17.3.1 ethers@6.16.0 expect@30.2.0 form-data@4.0.5 gaxios@7.1.3
      gmail-api-parse-message-ts@2.2.33 google-auth-library@10.6.1 googleapis@171.4.0 graphql@16.13.0 graphql-tag@2.12.6 http@24.13.1
      https@24.13.1 imapflow@1.2.10 jose@6.1.3 jsonwebtoken@9.0.3 lodash@4.17.23 long@5.3.2 mailosaur@11.0.2 moment@2.30.1 mysql@2.18.1
      mysql2@3.18.2 nice-grpc@2.1.14 nice-grpc-client-middleware-deadline@2.0.17 nice-grpc-client-middleware-devtools@1.0.9
      nice-grpc-client-middleware-retry@3.1.13 nice-grpc-common@2.0.2 nice-grpc-error-details@0.2.12 nice-grpc-opentelemetry@0.1.20
      nice-grpc-prometheus@0.2.9 nice-grpc-server-health@2.0.17 nice-grpc-server-middleware-terminator@2.0.16
      nice-grpc-server-reflection@3.0.3 nice-grpc-web@3.3.9 node-pop3@0.11.0 otpauth@9.5.0 pdf-parse@1.1.1 pdf2json@4.0.2
      playwright@1.58.2 prisma@7.4.1 protobufjs@8.0.0 tedious@19.2.1 tough-cookie@6.0.0 twilio@5.12.2 uuid@11.1.0 winston@3.19.0 ws@8.19.0
      xml-crypto@6.1.2 xml-encryption@3.1.0 zod@3.24.3
    `),
  },
  {
    name: "2025.04",
    nodeJsVersion: "22.11.0",
    stage: "STABLE",
    runtimeEndOfLife: "04/30/2027",
    description: "Node.js 22 and Playwright 1.51",
    multiStepSupport: true,
    dependencies: packages(`
      @playwright/test@1.51.1 @axe-core/playwright@4.10.1 @azure/identity@4.9.1 @azure/keyvault-secrets@4.9.0 @faker-js/faker@9.7.0
      @google-cloud/local-auth@3.0.1 @opentelemetry/api@1.9.0 @opentelemetry/exporter-metrics-otlp-grpc@0.200.0
      @opentelemetry/sdk-metrics@2.0.0 @opentelemetry/sdk-trace-base@2.0.0 @t3-oss/env-nextjs@0.13.0 @xmldom/xmldom@0.9.8 aws4@1.13.2
      axios@0.28.0 btoa@1.2.1 http@22.11.0 https@22.11.0 crypto-js@4.2.0 date-fns@4.1.0 date-fns-tz@3.2.0 dotenv@16.5.0 ethers@6.13.5
      expect@29.7.0 form-data@4.0.4 gmail-api-parse-message-ts@2.2.33 google-auth-library@9.15.1 googleapis@148.0.0 graphql@16.10.0
      graphql-tag@2.12.6 jose@5.10.0 jsdom@26.1.0 jsonwebtoken@9.0.2 lodash@4.17.21 long@5.3.2 moment@2.30.1 nice-grpc@2.1.12
      nice-grpc-client-middleware-deadline@2.0.15 nice-grpc-client-middleware-devtools@1.0.7 nice-grpc-client-middleware-retry@3.1.11
      nice-grpc-common@2.0.2 nice-grpc-error-details@0.2.9 nice-grpc-opentelemetry@0.1.18 nice-grpc-prometheus@0.2.7
      nice-grpc-server-health@2.0.14 nice-grpc-server-middleware-terminator@2.0.14 nice-grpc-server-reflection@2.0.14 nice-grpc-web@3.3.7
      node-pop3@0.9.1 otpauth@9.4.0 playwright@1.51.1 pdf2json@3.1.4 prisma@6.6.0 protobufjs@7.5.0 tedious@18.6.1 twilio@5.3.0 uuid@11.1.0
      ws@8.18.1 xml-crypto@6.1.1 xml-encryption@3.1.0 zod@3.24.3 @clerk/testing@1.5.1 mailosaur@8.8.1 gaxios@6.7.1
      @kubernetes/client-node@1.1.2 mysql@2.18.1
    `),
  },
  {
    name: "2024.09",
    nodeJsVersion: "18.20.3",
    stage: "DEPRECATED",
    runtimeEndOfLife: "04/30/2025",
    description: "Node.js 18 and Playwright 1.48",
    multiStepSupport: true,
    dependencies: packages(`
      @playwright/test@1.48.2 @axe-core/playwright@4.10.0 @azure/identity@4.4.1 @azure/keyvault-secrets@4.8.0 @faker-js/faker@9.0.1
      @google-cloud/local-auth@3.0.1 @opentelemetry/api@1.9.0 @opentelemetry/exporter-metrics-otlp-grpc@0.53.0
      @opentelemetry/sdk-metrics@1.26.0 @opentelemetry/sdk-trace-base@1.26.0 @t3-oss/env-nextjs@0.11.1 @xmldom/xmldom@0.9.2 aws4@1.13.2
      axios@0.28.0 btoa@1.2.1 http@18.20.3 https@18.20.3 crypto-js@4.2.0 date-fns@3.3.1 date-fns-tz@3.1.3 dotenv@16.4.5 ethers@6.13.2
      expect@29.7.0 form-data@4.0.4 gmail-api-parse-message-ts@2.2.33 google-auth-library@9.14.1 googleapis@144.0.0 graphql@16.9.0
      graphql-tag@2.12.6 jose@5.9.2 jsdom@25.0.0 jsonwebtoken@9.0.2 lodash@4.17.21 long@5.2.3 moment@2.30.1 nice-grpc@2.1.9
      nice-grpc-client-middleware-deadline@2.0.12 nice-grpc-client-middleware-devtools@1.0.4 nice-grpc-client-middleware-retry@3.1.8
      nice-grpc-common@2.0.2 nice-grpc-error-details@0.2.6 nice-grpc-opentelemetry@0.1.15 nice-grpc-prometheus@0.2.4
      nice-grpc-server-health@2.0.11 nice-grpc-server-middleware-terminator@2.0.11 nice-grpc-server-reflection@2.0.11 nice-grpc-web@3.3.4
      otpauth@9.3.2 playwright@1.48.2 pdf2json@3.1.4 prisma@5.19.1 protobufjs@7.4.0 tedious@18.6.1 twilio@5.3.0 uuid@10.0.0 ws@8.18.0
      xml-crypto@4.0.1 xml-encryption@3.0.2 zod@3.23.8 @clerk/testing@1.3.0 mailosaur@8.6.1 gaxios@6.7.1 @kubernetes/client-node@0.22.3
      mysql@2.18.1
    `),
  },
  {
    name: "2024.02",
    nodeJsVersion: "18.20.3",
    stage: "DEPRECATED",
    runtimeEndOfLife: "04/30/2025",
    description: "Node.js 18 and Playwright 1.42",
    multiStepSupport: true,
    dependencies: packages(`
      @axe-core/playwright@4.8.5 @faker-js/faker@8.4.1 @google-cloud/local-auth@3.0.1 @opentelemetry/api@1.7.0
      @opentelemetry/exporter-metrics-otlp-grpc@0.48.0 @opentelemetry/sdk-metrics@1.22.0 @opentelemetry/sdk-trace-base@1.22.0
      @playwright/test@1.42.1 @t3-oss/env-nextjs@0.9.2 @xmldom/xmldom@0.8.10 aws4@1.12.0 axios@0.28.0 btoa@1.2.1 http@18.20.3
      https@18.20.3 chai@4.4.1 chai-json-schema@1.5.1 chai-string@1.5.0 crypto-js@4.2.0 date-fns@3.3.1 date-fns-tz@3.1.3 dotenv@16.4.5
      ethers@6.11.1 expect@29.7.0 form-data@4.0.0 gmail-api-parse-message-ts@2.2.32 google-auth-library@9.6.3 googleapis@133.0.0
      graphql@16.9.0 graphql-tag@2.12.6 jose@5.2.2 jsdom@24.0.0 jsonwebtoken@9.0.2 lodash@4.17.21 long@5.2.3 moment@2.30.1 nice-grpc@2.1.8
      nice-grpc-client-middleware-deadline@2.0.11 nice-grpc-client-middleware-devtools@1.0.3 nice-grpc-client-middleware-retry@3.1.7
      nice-grpc-common@2.0.2 nice-grpc-error-details@0.2.5 nice-grpc-opentelemetry@0.1.14 nice-grpc-prometheus@0.2.3
      nice-grpc-server-health@2.0.10 nice-grpc-server-middleware-terminator@2.0.10 nice-grpc-server-reflection@2.0.10 nice-grpc-web@3.3.3
      otpauth@9.2.2 pdf2json@3.0.5 playwright@1.42.1 prisma@5.10.2 protobufjs@7.2.6 protobufjs/minimal@7.2.6 protobufjs/light@7.2.6
      twilio@4.23.0 uuid@9.0.1 ws@8.16.0 xml-crypto@4.0.1 xml-encryption@3.0.2 zod@3.22.4 @azure/identity@4.3.0
      @azure/keyvault-secrets@4.8.0 tedious@18.2.0
    `),
  },
  {
    name: "2023.09",
    nodeJsVersion: "18.20.3",
    stage: "DEPRECATED",
    runtimeEndOfLife: "04/30/2025",
    description: "Node.js 18 and Playwright 1.38",
    multiStepSupport: true,
    dependencies: packages(`
      @faker-js/faker@8.0.2 @google-cloud/local-auth@3.0.0 @opentelemetry/api@1.4.1 @opentelemetry/sdk-trace-base@1.15.2
      @playwright/test@1.38.1 @t3-oss/env-nextjs@0.6.1 @xmldom/xmldom@0.8.10 aws4@1.12.0 axios@0.27.2 btoa@1.2.1 http@18.20.3
      https@18.20.3 chai@4.3.7 chai-string@1.5.0 crypto-js@4.1.1 date-fns@2.30.0 date-fns-tz@2.0.0 dotenv@16.3.1 ethers@6.7.1
      expect@29.6.2 form-data@4.0.0 gmail-api-parse-message-ts@2.2.32 google-auth-library@9.0.0 googleapis@126.0.0 jose@4.14.4
      jsdom@22.1.0 jsonwebtoken@9.0.1 lodash@4.17.21 moment@2.29.4 otpauth@9.1.4 playwright@1.38.1 prisma@5.1.1 twilio@4.15.0 uuid@9.0.0
      ws@8.13.0 xml-crypto@4.1.0 xml-encryption@3.0.2 zod@3.22.2
    `),
  },
  {
    name: "2023.02",
    nodeJsVersion: "16.20.2",
    stage: "DEPRECATED",
    runtimeEndOfLife: "09/11/2023",
    description: "Node.js 16 and Playwright 1.32",
    multiStepSupport: false,
    dependencies: packages(`
      @faker-js/faker@7.6.0 @google-cloud/local-auth@2.1.1 @opentelemetry/api@1.0.4 @opentelemetry/sdk-trace-base@1.0.1
      @playwright/test@1.32.3 @xmldom/xmldom@0.8.10 aws4@1.11.0 axios@0.27.2 btoa@1.2.1 http@16.20.2 https@16.20.2 chai@4.3.7
      chai-string@1.5.0 crypto-js@4.1.1 date-fns@2.29.3 date-fns-tz@2.0.0 expect@29.3.1 form-data@4.0.0 gmail-api-parse-message-ts@2.2.32
      google-auth-library@8.8.0 googleapis@118.0.0 jose@4.14.1 jsdom@21.1.2 jsonwebtoken@9.0.0 lodash@4.17.21 moment@2.29.4 otpauth@9.0.2
      twilio@4.11.1 playwright@1.32.3 typescript@4.8.4 uuid@9.0.0 ws@8.13.0 xml-crypto@4.0.1 xml-encryption@3.0.2
    `),
  },
  {
    name: "2022.10",
    nodeJsVersion: "16.20.2",
    stage: "DEPRECATED",
    runtimeEndOfLife: "09/11/2023",
    description: "Node.js 16 and Playwright 1.28",
    multiStepSupport: false,
    dependencies: packages(`
      @faker-js/faker@5.5.3 @opentelemetry/api@1.0.4 @opentelemetry/sdk-trace-base@1.0.1 @playwright/test@1.28.0 aws4@1.11.0 axios@0.27.2
      btoa@1.2.1 http@16.20.2 https@16.20.2 chai@4.3.7 chai-string@1.5.0 crypto-js@4.1.1 expect@29.3.1 form-data@4.0.0 jsonwebtoken@8.5.1
      lodash@4.17.21 mocha@10.1.0 moment@2.29.4 otpauth@9.0.2 playwright@1.28.0 typescript@4.8.4 uuid@9.0.0
    `),
  },
];

/** Reads `name@version` words; a name may itself begin with `@`. */
function packages(words: string): Record<string, string> {
  return Object.fromEntries(
    words
      .trim()
      .split(/\s+/)
      .map((word) => [word.slice(0, word.lastIndexOf("@")), word.slice(word.lastIndexOf("@") + 1)]),
  );
}
