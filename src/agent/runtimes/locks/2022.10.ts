import type { RuntimeLock } from "../runtime-lock.ts";

/** Packages of runtime 2022.10; written by `outpost runtime lock 2022.10`. */
export const lock: RuntimeLock = {
  sha256: "3727547bbf37ff9114e94ede7e13eebfa0a08c9a70fe6e5677f8d49e505aeaea",
  words: `
    @babel/code-frame@7.29.7 @babel/helper-validator-identifier@7.29.7 @faker-js/faker@5.5.3 @jest/expect-utils@29.7.0 @jest/schemas@29.6.3
    @jest/types@29.6.3 @opentelemetry/api@1.0.4 @opentelemetry/core@1.0.1 @opentelemetry/resources@1.0.1 @opentelemetry/sdk-trace-base@1.0.1
    @opentelemetry/semantic-conventions@1.0.1 @playwright/test@1.28.0 @sinclair/typebox@0.27.12 @types/istanbul-lib-coverage@2.0.6
    @types/istanbul-lib-report@3.0.3 @types/istanbul-reports@3.0.4 @types/node@26.6.6 @types/stack-utils@2.0.3 @types/yargs@17.0.35
    @types/yargs-parser@21.0.3 ansi-colors@4.1.1 ansi-regex@5.0.1 ansi-styles@4.3.0 anymatch@3.1.3 argparse@2.0.1 assertion-error@1.1.0
    asynckit@0.4.0 aws4@1.11.0 axios@0.27.2 balanced-match@1.0.2 binary-extensions@2.3.0 brace-expansion@2.1.8 braces@3.0.3
    browser-stdout@1.3.1 btoa@1.2.1 buffer-equal-constant-time@1.0.1 camelcase@6.3.0 chai@4.3.7 chai-string@1.5.0 chalk@4.1.2
    check-error@1.0.3 chokidar@3.5.3 ci-info@3.9.0 cliui@7.0.4 color-convert@2.0.1 color-name@1.1.4 combined-stream@1.0.8 concat-map@0.0.1
    crypto-js@4.1.1 debug@4.3.4 debug>ms@2.1.2 decamelize@4.0.0 deep-eql@4.1.4 delayed-stream@1.0.0 diff@5.0.0 diff-sequences@29.6.3
    ecdsa-sig-formatter@1.0.11 emoji-regex@8.0.0 escalade@3.2.0 escape-string-regexp@4.0.0 expect@29.3.1 fill-range@7.1.1 find-up@5.0.0
    flat@5.0.2 follow-redirects@1.16.3 form-data@4.0.0 fs.realpath@1.0.0 fsevents@2.3.3 get-caller-file@2.0.5 get-func-name@2.0.2 glob@7.2.0
    glob-parent@5.1.2 glob>brace-expansion@1.1.22 glob>minimatch@3.1.5 graceful-fs@4.2.12 has-flag@4.0.0 he@1.2.0 inflight@1.0.6
    inherits@2.0.4 is-binary-path@2.1.0 is-extglob@2.1.1 is-fullwidth-code-point@3.0.0 is-glob@4.0.3 is-number@7.0.0 is-plain-obj@2.1.0
    is-unicode-supported@0.1.0 jest-diff@29.7.0 jest-get-type@29.6.3 jest-matcher-utils@29.7.0 jest-message-util@29.7.0 jest-util@29.7.0
    js-tokens@4.0.0 js-yaml@4.1.0 jsonwebtoken@8.5.1 jssha@3.3.2 jwa@1.4.2 jws@3.2.3 locate-path@6.0.0 lodash@4.17.21 lodash.includes@4.3.0
    lodash.isboolean@3.0.3 lodash.isinteger@4.0.4 lodash.isnumber@3.0.3 lodash.isplainobject@4.0.6 lodash.isstring@4.0.1 lodash.once@4.1.1
    log-symbols@4.1.0 loupe@2.3.7 micromatch@4.0.8 mime-db@1.52.0 mime-types@2.1.35 minimatch@5.0.1 mocha@10.1.0 mocha>supports-color@8.1.1
    moment@2.29.4 ms@2.1.3 nanoid@3.3.3 normalize-path@3.0.0 once@1.4.0 otpauth@9.0.2 p-limit@3.1.0 p-locate@5.0.0 path-exists@4.0.0
    path-is-absolute@1.0.1 pathval@1.1.1 picocolors@1.1.1 picomatch@2.3.2 playwright@1.28.0 playwright-core@1.28.0 pretty-format@29.7.0
    pretty-format>ansi-styles@5.2.0 randombytes@2.1.0 react-is@18.3.1 readdirp@3.6.0 require-directory@2.1.1 safe-buffer@5.2.1 semver@5.7.3
    serialize-javascript@6.0.0 slash@3.0.0 stack-utils@2.0.6 stack-utils>escape-string-regexp@2.0.0 string-width@4.2.3 strip-ansi@6.0.1
    strip-json-comments@3.1.1 supports-color@7.2.0 to-regex-range@5.0.1 type-detect@4.1.0 typescript@4.8.4 undici-types@8.9.0 uuid@9.0.0
    workerpool@6.2.1 wrap-ansi@7.0.0 wrappy@1.0.2 y18n@5.0.8 yargs@16.2.0 yargs-parser@20.2.4 yargs-unparser@2.0.0 yocto-queue@0.1.0
  `,
};
