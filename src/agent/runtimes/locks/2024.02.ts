import type { RuntimeLock } from "../runtime-lock.ts";

/** Packages of runtime 2024.02; written by `outpost runtime lock 2024.02`. */
export const lock: RuntimeLock = {
  sha256: "adb96d67b569916e239c911a0ed97e56756c5a025425386b2475d6b4b5f1bae4",
  words: `
    @adraffy/ens-normalize@1.10.1 @asamuzakjp/css-color@3.2.0 @axe-core/playwright@4.8.5 @azure-rest/core-client@2.7.0
    @azure-rest/core-client>@azure/abort-controller@2.1.2 @azure/abort-controller@1.1.0 @azure/core-auth@1.10.1
    @azure/core-auth>@azure/abort-controller@2.1.2 @azure/core-client@1.10.2 @azure/core-client>@azure/abort-controller@2.1.2
    @azure/core-http-compat@2.4.0 @azure/core-http-compat>@azure/abort-controller@2.1.2 @azure/core-lro@2.7.2
    @azure/core-lro>@azure/abort-controller@2.1.2 @azure/core-paging@1.6.2 @azure/core-rest-pipeline@1.24.0
    @azure/core-rest-pipeline>@azure/abort-controller@2.1.2 @azure/core-tracing@1.3.1 @azure/core-util@1.13.1
    @azure/core-util>@azure/abort-controller@2.1.2 @azure/identity@4.3.0 @azure/keyvault-common@2.1.0
    @azure/keyvault-common>@azure/abort-controller@2.1.2 @azure/keyvault-keys@4.10.2 @azure/keyvault-keys>@azure/abort-controller@2.1.2
    @azure/keyvault-secrets@4.8.0 @azure/logger@1.3.0 @azure/msal-browser@3.30.0 @azure/msal-common@14.16.1 @azure/msal-node@2.16.3
    @azure/msal-node>uuid@8.3.2 @babel/code-frame@7.29.7 @babel/helper-validator-identifier@7.29.7 @csstools/color-helpers@5.1.0
    @csstools/css-calc@2.1.4 @csstools/css-color-parser@3.1.0 @csstools/css-parser-algorithms@3.0.5 @csstools/css-tokenizer@3.0.4
    @faker-js/faker@8.4.1 @google-cloud/local-auth@3.0.1 @google-cloud/local-auth>open@7.4.2 @grpc/grpc-js@1.14.7 @grpc/proto-loader@0.8.1
    @grpc/proto-loader>long@5.3.2 @grpc/proto-loader>protobufjs@7.6.6 @jest/expect-utils@29.7.0 @jest/schemas@29.6.3 @jest/types@29.6.3
    @js-joda/core@5.7.0 @js-sdsl/ordered-map@4.4.2 @noble/curves@1.2.0 @noble/hashes@1.3.2 @opentelemetry/api@1.7.0
    @opentelemetry/api-logs@0.48.0 @opentelemetry/core@1.21.0 @opentelemetry/exporter-metrics-otlp-grpc@0.48.0
    @opentelemetry/exporter-metrics-otlp-grpc>@opentelemetry/sdk-metrics@1.21.0 @opentelemetry/exporter-metrics-otlp-http@0.48.0
    @opentelemetry/exporter-metrics-otlp-http>@opentelemetry/sdk-metrics@1.21.0 @opentelemetry/otlp-exporter-base@0.48.0
    @opentelemetry/otlp-grpc-exporter-base@0.48.0 @opentelemetry/otlp-transformer@0.48.0
    @opentelemetry/otlp-transformer>@opentelemetry/sdk-metrics@1.21.0 @opentelemetry/otlp-transformer>@opentelemetry/sdk-trace-base@1.21.0
    @opentelemetry/resources@1.21.0 @opentelemetry/sdk-logs@0.48.0 @opentelemetry/sdk-metrics@1.22.0
    @opentelemetry/sdk-metrics>@opentelemetry/core@1.22.0 @opentelemetry/sdk-metrics>@opentelemetry/resources@1.22.0
    @opentelemetry/sdk-metrics>@opentelemetry/semantic-conventions@1.22.0 @opentelemetry/sdk-trace-base@1.22.0
    @opentelemetry/sdk-trace-base>@opentelemetry/core@1.22.0 @opentelemetry/sdk-trace-base>@opentelemetry/resources@1.22.0
    @opentelemetry/sdk-trace-base>@opentelemetry/semantic-conventions@1.22.0 @opentelemetry/semantic-conventions@1.21.0
    @playwright/test@1.42.1 @prisma/debug@5.10.2 @prisma/engines@5.10.2
    @prisma/engines-version@5.10.0-34.5a9203d0590c951969e85a7d07215503f4672eb9 @prisma/fetch-engine@5.10.2 @prisma/get-platform@5.10.2
    @protobufjs/aspromise@1.1.2 @protobufjs/base64@1.1.2 @protobufjs/codegen@2.0.5 @protobufjs/eventemitter@1.1.1 @protobufjs/fetch@1.1.1
    @protobufjs/float@1.0.2 @protobufjs/inquire@1.1.2 @protobufjs/path@1.1.2 @protobufjs/pool@1.1.0 @protobufjs/utf8@1.1.2
    @sinclair/typebox@0.27.12 @t3-oss/env-core@0.9.2 @t3-oss/env-nextjs@0.9.2 @types/google-protobuf@3.15.12
    @types/istanbul-lib-coverage@2.0.6 @types/istanbul-lib-report@3.0.3 @types/istanbul-reports@3.0.4 @types/node@18.15.13
    @types/readable-stream@4.0.25 @types/stack-utils@2.0.3 @types/yargs@17.0.35 @types/yargs-parser@21.0.3 @typespec/ts-http-runtime@0.3.6
    @xmldom/xmldom@0.8.10 abort-controller@3.0.0 abort-controller-x@0.4.3 aes-js@4.0.0-beta.5 agent-base@7.1.4 ansi-regex@5.0.1
    ansi-styles@4.3.0 arrify@2.0.1 assertion-error@1.1.0 async-function@1.0.0 async-generator-function@1.0.0 asynckit@0.4.0 aws4@1.12.0
    axe-core@4.8.4 axios@0.28.0 base-64@0.1.0 base64-js@1.5.1 bignumber.js@9.3.1 bintrees@1.0.2 bl@6.1.6 braces@3.0.3 btoa@1.2.1
    buffer@6.0.3 buffer-equal-constant-time@1.0.1 call-bind-apply-helpers@1.0.2 call-bound@1.0.4 chai@4.4.1 chai-json-schema@1.5.1
    chai-string@1.5.0 chalk@4.1.2 check-error@1.0.3 ci-info@3.9.0 cliui@8.0.1 color-convert@2.0.1 color-name@1.1.4 combined-stream@1.0.8
    crypto-js@4.2.0 cssstyle@4.6.0 cssstyle>rrweb-cssom@0.8.0 data-urls@5.0.0 date-fns@3.3.1 date-fns-tz@3.1.3 dayjs@1.11.23 debug@4.4.3
    decimal.js@10.6.0 deep-eql@4.1.4 define-lazy-prop@2.0.0 delayed-stream@1.0.0 diff-sequences@29.6.3 dotenv@16.4.5 dunder-proto@1.0.1
    ecdsa-sig-formatter@1.0.11 emoji-regex@8.0.0 entities@6.0.1 es-define-property@1.0.1 es-errors@1.3.0 es-object-atoms@1.1.2
    es-set-tostringtag@2.1.0 escalade@3.2.0 escape-html@1.0.3 escape-string-regexp@2.0.0 ethers@6.11.1 ethers>tslib@2.4.0 ethers>ws@8.5.0
    event-target-shim@5.0.1 events@3.3.0 expect@29.7.0 extend@3.0.2 fill-range@7.1.1 follow-redirects@1.16.3 form-data@4.0.0 fsevents@2.3.2
    function-bind@1.1.2 gaxios@6.7.1 gcp-metadata@6.1.1 generator-function@2.0.1 get-caller-file@2.0.5 get-func-name@2.0.2
    get-intrinsic@1.3.1 get-proto@1.0.1 gmail-api-parse-message-ts@2.2.32 google-auth-library@9.6.3 google-logging-utils@0.0.2
    google-protobuf@3.21.4 googleapis@133.0.0 googleapis-common@7.2.0 googleapis-common>google-auth-library@9.15.1 gopd@1.2.0
    graceful-fs@4.2.12 graphql@16.9.0 graphql-tag@2.12.6 gtoken@7.1.0 has-flag@4.0.0 has-symbols@1.1.0 has-tostringtag@1.0.2 hasown@2.0.4
    html-encoding-sniffer@4.0.0 http-proxy-agent@7.0.2 https-proxy-agent@7.0.6 iconv-lite@0.6.3 ieee754@1.2.1 inherits@2.0.4 is-docker@2.2.1
    is-fullwidth-code-point@3.0.0 is-number@7.0.0 is-potential-custom-element-name@1.0.1 is-stream@2.0.1 is-wsl@2.2.0 isomorphic-ws@5.0.0
    jest-diff@29.7.0 jest-get-type@29.6.3 jest-matcher-utils@29.7.0 jest-message-util@29.7.0 jest-util@29.7.0 jose@5.2.2 js-base64@3.9.6
    js-md4@0.3.2 js-tokens@4.0.0 jsdom@24.0.0 json-bigint@1.0.0 jsonpointer.js@0.4.0 jsonwebtoken@9.0.2 jsonwebtoken>jwa@1.4.2
    jsonwebtoken>jws@3.2.3 jssha@3.3.2 jwa@2.0.1 jws@4.0.1 klingsten-snippets@1.0.26 lodash@4.17.21 lodash.camelcase@4.3.0
    lodash.includes@4.3.0 lodash.isboolean@3.0.3 lodash.isinteger@4.0.4 lodash.isnumber@3.0.3 lodash.isplainobject@4.0.6
    lodash.isstring@4.0.1 lodash.merge@4.6.2 lodash.once@4.1.1 long@5.2.3 loupe@2.3.7 lru-cache@10.4.3 math-intrinsics@1.1.0
    micromatch@4.0.8 mime-db@1.52.0 mime-types@2.1.35 moment@2.30.1 ms@2.1.3 native-duplexpair@1.0.0 nice-grpc@2.1.8
    nice-grpc-client-middleware-deadline@2.0.11 nice-grpc-client-middleware-retry@3.1.7 nice-grpc-common@2.0.2 nice-grpc-error-details@0.2.5
    nice-grpc-prometheus@0.2.3 nice-grpc-server-reflection@2.0.10 nice-grpc-server-reflection>@grpc/grpc-js@1.9.16
    nice-grpc-server-reflection>@grpc/proto-loader@0.7.15 nice-grpc-web@3.3.3 nice-grpc>@grpc/grpc-js@1.9.16
    nice-grpc>@grpc/proto-loader@0.7.15 node-fetch@2.7.0 node-fetch>tr46@0.0.3 node-fetch>webidl-conversions@3.0.1
    node-fetch>whatwg-url@5.0.0 nwsapi@2.2.28 object-inspect@1.13.4 open@8.4.2 otpauth@9.2.2 parse5@7.3.0 pathval@1.1.1 pdf2json@3.0.5
    picocolors@1.1.1 picomatch@2.3.2 playwright@1.42.1 playwright-core@1.65.1 playwright>playwright-core@1.42.1 pretty-format@29.7.0
    pretty-format>ansi-styles@5.2.0 prisma@5.10.2 process@0.11.10 prom-client@15.1.3 protobufjs@7.2.6 proxy-from-env@1.1.0 psl@1.15.0
    punycode@2.3.1 qs@6.17.1 querystringify@2.2.0 react-is@18.3.1 readable-stream@4.8.0 require-directory@2.1.1 requires-port@1.0.0
    rrweb-cssom@0.6.0 safe-buffer@5.2.1 safer-buffer@2.1.2 saxes@6.0.0 scmp@2.1.0 semver@7.8.6 server-destroy@1.0.1 side-channel@1.1.1
    side-channel-list@1.0.1 side-channel-map@1.0.1 side-channel-weakmap@1.0.2 slash@3.0.0 sprintf-js@1.1.3 stack-utils@2.0.6 stoppable@1.1.0
    string-width@4.2.3 string_decoder@1.3.0 strip-ansi@6.0.1 supports-color@7.2.0 symbol-tree@3.2.4 tdigest@0.1.3 tedious@18.2.0
    tedious>@azure/identity@3.4.2 to-regex-range@5.0.1 tough-cookie@4.1.4 tr46@5.1.1 ts-error@1.0.6 tslib@2.9.1 tv4@1.3.0 twilio@4.23.0
    twilio>agent-base@6.0.2 twilio>axios@1.21.1 twilio>form-data@4.0.6 twilio>https-proxy-agent@5.0.1 twilio>proxy-from-env@2.1.0
    type-detect@4.1.0 universalify@0.2.0 url-parse@1.5.10 url-template@2.0.8 uuid@9.0.1 w3c-xmlserializer@5.0.0 webidl-conversions@7.0.0
    whatwg-encoding@3.1.1 whatwg-mimetype@4.0.0 whatwg-url@14.2.0 wrap-ansi@7.0.0 ws@8.16.0 xml-crypto@4.0.1 xml-encryption@3.0.2
    xml-encryption>xpath@0.0.32 xml-name-validator@5.0.0 xmlbuilder@13.0.2 xmlchars@2.2.0 xpath@0.0.33 y18n@5.0.8 yargs@17.7.3
    yargs-parser@21.1.1 zod@3.22.4
  `,
};
