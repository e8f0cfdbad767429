import type { RuntimeLock } from "../runtime-lock.ts";

/** Packages of runtime 2023.02; written by `outpost runtime lock 2023.02`. */
export const lock: RuntimeLock = {
  sha256: "62d34745a49ed02db0c527d948dee9a442fe172c4437b58a13db8f7766fd1261",
  words: `
    @babel/code-frame@7.29.7 @babel/helper-validator-identifier@7.29.7 @faker-js/faker@7.6.0 @google-cloud/local-auth@2.1.1
    @jest/expect-utils@29.7.0 @jest/schemas@29.6.3 @jest/types@29.6.3 @opentelemetry/api@1.0.4 @opentelemetry/core@1.0.1
    @opentelemetry/resources@1.0.1 @opentelemetry/sdk-trace-base@1.0.1 @opentelemetry/semantic-conventions@1.0.1 @playwright/test@1.32.3
    @sinclair/typebox@0.27.12 @tootallnate/once@2.0.1 @types/istanbul-lib-coverage@2.0.6 @types/istanbul-lib-report@3.0.3
    @types/istanbul-reports@3.0.4 @types/node@26.6.6 @types/stack-utils@2.0.3 @types/yargs@17.0.35 @types/yargs-parser@21.0.3
    @xmldom/xmldom@0.8.10 abab@2.0.6 acorn@8.19.0 acorn-globals@7.0.1 acorn-walk@8.3.5 agent-base@6.0.2 ansi-styles@4.3.0 arrify@2.0.1
    assertion-error@1.1.0 async-function@1.0.0 async-generator-function@1.0.0 asynckit@0.4.0 aws4@1.11.0 axios@0.27.2 base-64@0.1.0
    base64-js@1.5.1 bignumber.js@9.3.1 braces@3.0.3 btoa@1.2.1 buffer-equal-constant-time@1.0.1 call-bind-apply-helpers@1.0.2
    call-bound@1.0.4 chai@4.3.7 chai-string@1.5.0 chalk@4.1.2 check-error@1.0.3 ci-info@3.9.0 color-convert@2.0.1 color-name@1.1.4
    combined-stream@1.0.8 crypto-js@4.1.1 cssstyle@3.0.0 data-urls@4.0.0 date-fns@2.29.3 date-fns-tz@2.0.0 dayjs@1.11.23 debug@4.4.3
    decimal.js@10.6.0 deep-eql@4.1.4 delayed-stream@1.0.0 diff-sequences@29.6.3 domexception@4.0.0 dunder-proto@1.0.1
    ecdsa-sig-formatter@1.0.11 entities@6.0.1 es-define-property@1.0.1 es-errors@1.3.0 es-object-atoms@1.1.2 escape-html@1.0.3
    escape-string-regexp@2.0.0 escodegen@2.1.0 esprima@4.0.1 estraverse@5.3.0 esutils@2.0.3 expect@29.3.1 extend@3.0.2
    fast-text-encoding@1.0.6 fill-range@7.1.1 follow-redirects@1.16.3 form-data@4.0.0 fsevents@2.3.2 function-bind@1.1.2 gaxios@5.1.3
    gcp-metadata@5.3.0 generator-function@2.0.1 get-func-name@2.0.2 get-intrinsic@1.3.1 get-proto@1.0.1 gmail-api-parse-message-ts@2.2.32
    google-auth-library@8.8.0 google-p12-pem@4.0.1 googleapis@118.0.0 googleapis-common@6.0.4 gopd@1.2.0 graceful-fs@4.2.12 gtoken@6.1.2
    has-flag@4.0.0 has-symbols@1.1.0 hasown@2.0.4 html-encoding-sniffer@3.0.0 http-proxy-agent@5.0.0 https-proxy-agent@5.0.1
    iconv-lite@0.6.3 is-docker@2.2.1 is-number@7.0.0 is-potential-custom-element-name@1.0.1 is-stream@2.0.1 is-wsl@2.2.0 jest-diff@29.7.0
    jest-get-type@29.6.3 jest-matcher-utils@29.7.0 jest-message-util@29.7.0 jest-util@29.7.0 jose@4.14.1 js-tokens@4.0.0 jsdom@21.1.2
    json-bigint@1.0.0 jsonwebtoken@9.0.0 jsonwebtoken>jwa@1.4.2 jsonwebtoken>jws@3.2.3 jssha@3.3.2 jwa@2.0.1 jws@4.0.1
    klingsten-snippets@1.0.26 lodash@4.17.21 loupe@2.3.7 lru-cache@6.0.0 math-intrinsics@1.1.0 micromatch@4.0.8 mime-db@1.52.0
    mime-types@2.1.35 moment@2.29.4 ms@2.1.3 node-fetch@2.7.0 node-fetch>tr46@0.0.3 node-fetch>webidl-conversions@3.0.1
    node-fetch>whatwg-url@5.0.0 node-forge@1.4.3 nwsapi@2.2.28 object-inspect@1.13.4 open@7.4.2 otpauth@9.0.2 parse5@7.3.0 pathval@1.1.1
    picocolors@1.1.1 picomatch@2.3.2 playwright@1.32.3 playwright-core@1.32.3 pretty-format@29.7.0 pretty-format>ansi-styles@5.2.0
    psl@1.15.0 punycode@2.3.1 qs@6.17.1 querystringify@2.2.0 react-is@18.3.1 requires-port@1.0.0 rrweb-cssom@0.6.0 safe-buffer@5.2.1
    safer-buffer@2.1.2 saxes@6.0.0 scmp@2.1.0 semver@7.8.6 server-destroy@1.0.1 side-channel@1.1.1 side-channel-list@1.0.1
    side-channel-map@1.0.1 side-channel-weakmap@1.0.2 slash@3.0.0 source-map@0.6.1 stack-utils@2.0.6 supports-color@7.2.0 symbol-tree@3.2.4
    to-regex-range@5.0.1 tough-cookie@4.1.4 tr46@4.1.1 twilio@4.11.1 twilio>axios@0.26.1 type-detect@4.1.0 typescript@4.8.4
    undici-types@8.9.0 universalify@0.2.0 url-parse@1.5.10 url-template@2.0.8 uuid@9.0.0 w3c-xmlserializer@4.0.0 webidl-conversions@7.0.0
    whatwg-encoding@2.0.0 whatwg-mimetype@3.0.0 whatwg-url@12.0.1 ws@8.13.0 xml-crypto@4.0.1 xml-encryption@3.0.2
    xml-encryption>xpath@0.0.32 xml-name-validator@4.0.0 xmlbuilder@13.0.2 xmlchars@2.2.0 xpath@0.0.33 yallist@4.0.0
  `,
};
