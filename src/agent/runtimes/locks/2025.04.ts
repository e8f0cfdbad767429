import type { RuntimeLock } from "../runtime-lock.ts";

/** Packages of runtime 2025.04; written by `outpost runtime lock 2025.04`. */
export const lock: RuntimeLock = {
  sha256: "f3affa9e2a075c08aa0a7e70701b913313c4d12a1961571889365fdc3ef4d329",
  words: `
    @adraffy/ens-normalize@1.10.1 @ark/schema@0.56.8 @ark/util@0.56.8 @asamuzakjp/css-color@3.2.0 @axe-core/playwright@4.10.1
    @azure-rest/core-client@2.7.0 @azure/abort-controller@2.1.2 @azure/core-auth@1.10.1 @azure/core-client@1.10.2
    @azure/core-http-compat@2.4.0 @azure/core-lro@2.7.2 @azure/core-paging@1.6.2 @azure/core-rest-pipeline@1.24.0 @azure/core-tracing@1.3.1
    @azure/core-util@1.13.1 @azure/identity@4.9.1 @azure/keyvault-common@2.1.0 @azure/keyvault-keys@4.10.2 @azure/keyvault-secrets@4.9.0
    @azure/logger@1.3.0 @azure/msal-browser@4.30.0 @azure/msal-common@15.17.0 @azure/msal-node@3.8.10 @azure/msal-node>uuid@8.3.2
    @babel/code-frame@7.29.7 @babel/helper-validator-identifier@7.29.7 @clerk/backend@1.34.0 @clerk/backend>tslib@2.8.1 @clerk/shared@3.48.0
    @clerk/testing@1.5.1 @clerk/testing>dotenv@16.4.7 @clerk/types@4.101.27 @csstools/color-helpers@5.1.0 @csstools/css-calc@2.1.4
    @csstools/css-color-parser@3.1.0 @csstools/css-parser-algorithms@3.0.5 @csstools/css-tokenizer@3.0.4 @esbuild/aix-ppc64@0.28.2
    @esbuild/android-arm@0.28.2 @esbuild/android-arm64@0.28.2 @esbuild/android-x64@0.28.2 @esbuild/darwin-arm64@0.28.2
    @esbuild/darwin-x64@0.28.2 @esbuild/freebsd-arm64@0.28.2 @esbuild/freebsd-x64@0.28.2 @esbuild/linux-arm@0.28.2
    @esbuild/linux-arm64@0.28.2 @esbuild/linux-ia32@0.28.2 @esbuild/linux-loong64@0.28.2 @esbuild/linux-mips64el@0.28.2
    @esbuild/linux-ppc64@0.28.2 @esbuild/linux-riscv64@0.28.2 @esbuild/linux-s390x@0.28.2 @esbuild/linux-x64@0.28.2
    @esbuild/netbsd-arm64@0.28.2 @esbuild/netbsd-x64@0.28.2 @esbuild/openbsd-arm64@0.28.2 @esbuild/openbsd-x64@0.28.2
    @esbuild/openharmony-arm64@0.28.2 @esbuild/sunos-x64@0.28.2 @esbuild/win32-arm64@0.28.2 @esbuild/win32-ia32@0.28.2
    @esbuild/win32-x64@0.28.2 @faker-js/faker@9.7.0 @google-cloud/local-auth@3.0.1 @google-cloud/local-auth>is-docker@2.2.1
    @google-cloud/local-auth>is-wsl@2.2.0 @google-cloud/local-auth>open@7.4.2 @grpc/grpc-js@1.14.7 @grpc/proto-loader@0.8.1
    @grpc/proto-loader>protobufjs@7.6.6 @isaacs/fs-minipass@4.0.1 @isaacs/fs-minipass>minipass@7.1.3 @jest/expect-utils@29.7.0
    @jest/schemas@29.6.3 @jest/types@29.6.3 @js-joda/core@5.7.0 @js-sdsl/ordered-map@4.4.2 @jsep-plugin/assignment@1.4.0
    @jsep-plugin/regex@1.1.0 @kubernetes/client-node@1.1.2 @noble/curves@1.2.0 @noble/hashes@1.3.2 @opentelemetry/api@1.9.0
    @opentelemetry/api-logs@0.200.0 @opentelemetry/core@2.0.0 @opentelemetry/exporter-metrics-otlp-grpc@0.200.0
    @opentelemetry/exporter-metrics-otlp-http@0.200.0 @opentelemetry/otlp-exporter-base@0.200.0
    @opentelemetry/otlp-grpc-exporter-base@0.200.0 @opentelemetry/otlp-transformer@0.200.0 @opentelemetry/resources@2.0.0
    @opentelemetry/sdk-logs@0.200.0 @opentelemetry/sdk-metrics@2.0.0 @opentelemetry/sdk-trace-base@2.0.0
    @opentelemetry/semantic-conventions@1.45.0 @playwright/test@1.51.1 @prisma/config@6.6.0 @prisma/debug@6.6.0 @prisma/engines@6.6.0
    @prisma/engines-version@6.6.0-53.f676762280b54cd07c770017ed3711ddde35f37a @prisma/fetch-engine@6.6.0 @prisma/get-platform@6.6.0
    @protobufjs/aspromise@1.1.2 @protobufjs/base64@1.1.2 @protobufjs/codegen@2.0.5 @protobufjs/eventemitter@1.1.1 @protobufjs/fetch@1.1.1
    @protobufjs/float@1.0.2 @protobufjs/inquire@1.1.2 @protobufjs/path@1.1.2 @protobufjs/pool@1.1.0 @protobufjs/utf8@1.1.2
    @sinclair/typebox@0.27.12 @t3-oss/env-core@0.13.0 @t3-oss/env-nextjs@0.13.0 @types/google-protobuf@3.15.12
    @types/istanbul-lib-coverage@2.0.6 @types/istanbul-lib-report@3.0.3 @types/istanbul-reports@3.0.4 @types/js-yaml@4.0.9
    @types/node@22.20.5 @types/node-fetch@2.6.13 @types/readable-stream@4.0.25 @types/stack-utils@2.0.3 @types/stream-buffers@3.0.8
    @types/tar@6.1.13 @types/ws@8.18.2 @types/yargs@17.0.35 @types/yargs-parser@21.0.3 @typespec/ts-http-runtime@0.3.6
    @xmldom/is-dom-node@1.0.1 @xmldom/xmldom@0.9.8 abort-controller@3.0.0 abort-controller-x@0.4.3 aes-js@4.0.0-beta.5 agent-base@7.1.4
    ansi-regex@5.0.1 ansi-styles@4.3.0 argparse@2.0.1 arkregex@0.0.14 arktype@2.2.9 arrify@2.0.1 async-function@1.0.0
    async-generator-function@1.0.0 asynckit@0.4.0 aws4@1.13.2 axe-core@4.10.3 axios@0.28.0 base-64@0.1.0 base64-js@1.5.1 bignumber.js@9.3.1
    bl@6.1.6 bl>readable-stream@4.8.0 bl>string_decoder@1.3.0 braces@3.0.3 btoa@1.2.1 buffer@6.0.3 buffer-equal-constant-time@1.0.1
    bundle-name@4.1.1 call-bind-apply-helpers@1.0.2 call-bound@1.0.4 chalk@4.1.2 chownr@3.0.0 ci-info@3.9.0 cliui@8.0.1 color-convert@2.0.1
    color-name@1.1.4 combined-stream@1.0.8 cookie@1.0.2 core-util-is@1.0.3 crypto-js@4.2.0 cssstyle@4.6.0 csstype@3.1.3 data-urls@5.0.0
    date-fns@4.1.0 date-fns-tz@3.2.0 dayjs@1.11.23 debug@4.4.3 decimal.js@10.6.0 default-browser@5.5.1 default-browser-id@5.0.1
    define-lazy-prop@3.0.0 delayed-stream@1.0.0 dequal@2.0.3 diff-sequences@29.6.3 dot-case@3.0.4 dotenv@16.5.0 dunder-proto@1.0.1
    ecdsa-sig-formatter@1.0.11 emoji-regex@8.0.0 entities@6.0.1 es-define-property@1.0.1 es-errors@1.3.0 es-object-atoms@1.1.2
    es-set-tostringtag@2.1.0 esbuild@0.28.2 esbuild-register@3.6.0 escalade@3.2.0 escape-html@1.0.3 escape-string-regexp@2.0.0 ethers@6.13.5
    ethers>@types/node@22.7.5 ethers>tslib@2.7.0 ethers>undici-types@6.19.8 ethers>ws@8.17.1 event-target-shim@5.0.1 events@3.3.0
    expect@29.7.0 extend@3.0.2 fill-range@7.1.1 follow-redirects@1.16.3 form-data@4.0.4 fsevents@2.3.2 function-bind@1.1.2 gaxios@6.7.1
    gaxios>uuid@9.0.1 gcp-metadata@6.1.1 generator-function@2.0.1 get-caller-file@2.0.5 get-intrinsic@1.3.1 get-proto@1.0.1
    glob-to-regexp@0.4.1 gmail-api-parse-message-ts@2.2.33 google-auth-library@9.15.1 google-logging-utils@0.0.2 google-protobuf@3.21.4
    googleapis@148.0.0 googleapis-common@7.2.0 googleapis-common>uuid@9.0.1 gopd@1.2.0 graceful-fs@4.2.12 graphql@16.10.0 graphql-tag@2.12.6
    gtoken@7.1.0 has-flag@4.0.0 has-symbols@1.1.0 has-tostringtag@1.0.2 hasown@2.0.4 hpagent@1.2.0 html-encoding-sniffer@4.0.0
    http-proxy-agent@7.0.2 https-proxy-agent@7.0.6 iconv-lite@0.6.3 ieee754@1.2.1 inherits@2.0.4 ip-address@10.7.6 ipaddr.js@2.5.0
    is-docker@3.0.0 is-fullwidth-code-point@3.0.0 is-inside-container@1.0.0 is-number@7.0.0 is-potential-custom-element-name@1.0.1
    is-stream@2.0.1 is-wsl@3.1.1 isarray@1.0.0 isomorphic-ws@5.0.0 jest-diff@29.7.0 jest-get-type@29.6.3 jest-matcher-utils@29.7.0
    jest-message-util@29.7.0 jest-util@29.7.0 jose@5.10.0 js-base64@3.9.6 js-cookie@3.0.7 js-md4@0.3.2 js-tokens@4.0.0 js-yaml@4.3.2
    jsdom@26.1.0 jsep@1.6.0 json-bigint@1.0.0 jsonpath-plus@10.4.0 jsonwebtoken@9.0.2 jsonwebtoken>jwa@1.4.2 jsonwebtoken>jws@3.2.3
    jwa@2.0.1 jws@4.0.1 klingsten-snippets@1.0.26 lodash@4.17.21 lodash.camelcase@4.3.0 lodash.includes@4.3.0 lodash.isboolean@3.0.3
    lodash.isinteger@4.0.4 lodash.isnumber@3.0.3 lodash.isplainobject@4.0.6 lodash.isstring@4.0.1 lodash.once@4.1.1 long@5.3.2
    lower-case@2.0.2 lru-cache@10.4.3 mailosaur@8.8.1 mailosaur>agent-base@6.0.2 mailosaur>https-proxy-agent@5.0.1 map-obj@4.3.0
    math-intrinsics@1.1.0 micromatch@4.0.8 mime-db@1.52.0 mime-types@2.1.35 minipass@4.2.8 minizlib@3.1.0 minizlib>minipass@7.1.3
    moment@2.30.1 ms@2.1.3 mysql@2.18.1 mysql>bignumber.js@9.0.0 mysql>safe-buffer@5.1.2 native-duplexpair@1.0.0 nice-grpc@2.1.12
    nice-grpc-client-middleware-deadline@2.0.15 nice-grpc-client-middleware-retry@3.1.11 nice-grpc-common@2.0.2
    nice-grpc-error-details@0.2.9 nice-grpc-opentelemetry@0.1.18 nice-grpc-server-reflection@2.0.14 nice-grpc-web@3.3.7 no-case@3.0.4
    node-fetch@2.7.0 node-fetch>tr46@0.0.3 node-fetch>webidl-conversions@3.0.1 node-fetch>whatwg-url@5.0.0 node-pop3@0.9.1 nwsapi@2.2.28
    oauth4webapi@3.8.8 object-inspect@1.13.4 open@10.2.0 openid-client@6.8.9 openid-client>jose@6.2.17 otpauth@9.4.0
    otpauth>@noble/hashes@1.7.1 parse5@7.3.0 pdf2json@3.1.4 picocolors@1.1.1 picomatch@2.3.2 playwright@1.51.1 playwright-core@1.65.1
    playwright>playwright-core@1.51.1 pretty-format@29.7.0 pretty-format>ansi-styles@5.2.0 prisma@6.6.0 prisma>fsevents@2.3.3
    process@0.11.10 process-nextick-args@2.0.1 protobufjs@7.5.0 proxy-from-env@1.1.0 punycode@2.3.1 qs@6.17.1 react@19.3.1 react-is@18.3.1
    readable-stream@2.3.7 readable-stream>safe-buffer@5.1.2 require-directory@2.1.1 rfc4648@1.5.4 rrweb-cssom@0.8.0 run-applescript@7.1.0
    safe-buffer@5.2.1 safer-buffer@2.1.2 saxes@6.0.0 scmp@2.1.0 semver@7.8.6 server-destroy@1.0.1 side-channel@1.1.1 side-channel-list@1.0.1
    side-channel-map@1.0.1 side-channel-weakmap@1.0.2 slash@3.0.0 smart-buffer@4.2.0 snake-case@3.0.4 snakecase-keys@8.0.1 socks@2.8.10
    socks-proxy-agent@8.0.5 sprintf-js@1.1.3 sqlstring@2.3.1 stack-utils@2.0.6 std-env@3.10.0 stream-buffers@3.0.3 string-width@4.2.3
    string_decoder@1.1.1 string_decoder>safe-buffer@5.1.2 strip-ansi@6.0.1 supports-color@7.2.0 swr@2.3.4 symbol-tree@3.2.4 tar@7.5.23
    tar>minipass@7.1.3 tedious@18.6.1 tldts@6.1.86 tldts-core@6.1.86 tmp@0.2.7 tmp-promise@3.0.3 to-regex-range@5.0.1 tough-cookie@5.1.2
    tr46@5.1.1 ts-error@1.0.6 tslib@2.9.1 twilio@5.3.0 twilio>agent-base@6.0.2 twilio>axios@1.21.1 twilio>form-data@4.0.6
    twilio>https-proxy-agent@5.0.1 twilio>proxy-from-env@2.1.0 type-fest@4.41.0 undici-types@6.21.0 url-template@2.0.8
    use-sync-external-store@1.7.0 util-deprecate@1.0.2 uuid@11.1.0 w3c-xmlserializer@5.0.0 webidl-conversions@7.0.0 whatwg-encoding@3.1.1
    whatwg-mimetype@4.0.0 whatwg-url@14.2.0 wrap-ansi@7.0.0 ws@8.18.1 wsl-utils@0.1.0 xml-crypto@6.1.1 xml-crypto>@xmldom/xmldom@0.8.15
    xml-encryption@3.1.0 xml-encryption>@xmldom/xmldom@0.8.15 xml-encryption>xpath@0.0.32 xml-name-validator@5.0.0 xmlbuilder@13.0.2
    xmlchars@2.2.0 xpath@0.0.33 y18n@5.0.8 yallist@5.0.0 yargs@17.7.3 yargs-parser@21.1.1 zod@3.24.3
  `,
};
