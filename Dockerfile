# Outpost's images, by target: agent, agent-uptime, agent-browser, control-plane, all, migration.
#   buildah build --target agent -t registry.example.com/outpost/agent:0.1.0 .
#   docker build --target agent --build-arg RUNTIMES=2026.04 -t registry.example.com/outpost/agent:0.1.0 .
# Final images are made from nothing: Node.js, the libraries it loads, an init, and the program in a few files. No shell, no npm.
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim

# The program: one folder a part, packages within.
FROM ${NODE_IMAGE} AS build
ARG SOURCE_DATE_EPOCH=0
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json rolldown.config.ts LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md compose.yaml ./
COPY docs ./docs
COPY charts ./charts
COPY bench/README.md ./bench/README.md
COPY src ./src
RUN npm run build && node dist/agent/cli.js --version && node dist/control-plane/cli.js --version

# The file system that all images share.
FROM ${NODE_IMAGE} AS system
ARG SOURCE_DATE_EPOCH=0
RUN apt-get update && apt-get install -y --no-install-recommends binutils tini && rm -rf /var/lib/apt/lists/*
COPY .ci/from-debian /usr/local/bin/from-debian
COPY .ci/system /usr/local/bin/make-system
RUN make-system /system

# What browser checks bring along. FONTS: further Debian packages; fonts-noto-core for most scripts of the world (40 MB), fonts-noto-cjk for
# Chinese, Japanese and Korean (55 MB).
FROM ${NODE_IMAGE} AS browser
ARG SOURCE_DATE_EPOCH=0
ARG FONTS=
RUN apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell libnss3-tools fonts-dejavu-core fonts-noto-color-emoji ${FONTS} \
  && rm -rf /var/lib/apt/lists/*
COPY .ci/from-debian /usr/local/bin/from-debian
COPY .ci/browser /usr/local/bin/make-browser
RUN make-browser /browser

# Runtimes of scripted checks, one folder each; none by default.
FROM build AS runtimes
ARG SOURCE_DATE_EPOCH=0
ARG RUNTIMES=
RUN mkdir -p /opt/outpost/runtimes \
  && { [ -z "$RUNTIMES" ] || RUNTIMES_DIR=/opt/outpost/runtimes node dist/agent/cli.js runtime install "$RUNTIMES"; } \
  && find /opt/outpost -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

FROM build AS browser-runtimes
ARG SOURCE_DATE_EPOCH=0
ARG RUNTIMES=2026.04
RUN mkdir -p /opt/outpost/runtimes \
  && { [ -z "$RUNTIMES" ] || RUNTIMES_DIR=/opt/outpost/runtimes node dist/agent/cli.js runtime install "$RUNTIMES"; } \
  && find /opt/outpost -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

FROM build AS migration-runtimes
ARG SOURCE_DATE_EPOCH=0
ARG RUNTIMES=2024.09,2025.04,2026.04
RUN mkdir -p /opt/outpost/runtimes \
  && { [ -z "$RUNTIMES" ] || RUNTIMES_DIR=/opt/outpost/runtimes node dist/agent/cli.js runtime install "$RUNTIMES"; } \
  && find /opt/outpost -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

# What each part is made of, as a software bill of materials.
FROM build AS bill
ARG SOURCE_DATE_EPOCH=0
COPY .ci ./.ci
COPY --from=system /system.packages ./
RUN set -e; for part in agent control-plane all; do \
      node .ci/sbom.ts --name "outpost/$part" --only "dist/$part/packages.txt" --debian system.packages --distro debian-12 \
        --node "$(node -p process.versions.node)" --epoch "$SOURCE_DATE_EPOCH" > "dist/$part/sbom.cdx.json"; \
      mv "dist/$part/packages.txt" "$part.packages"; cp LICENSE "dist/$part/"; \
      sed -i '1s|.*|#!/usr/local/bin/node --disable-warning=ExperimentalWarning|' "dist/$part/cli.js"; chmod 755 "dist/$part/cli.js"; \
    done; find dist -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

FROM bill AS browser-bill
ARG SOURCE_DATE_EPOCH=0
COPY --from=browser /browser.packages ./
RUN cat system.packages browser.packages | sort -u > debian.packages \
  && node .ci/sbom.ts --name outpost/agent-browser --only agent.packages --debian debian.packages --distro debian-12 \
      --node "$(node -p process.versions.node)" --epoch "$SOURCE_DATE_EPOCH" > sbom.cdx.json \
  && touch -d "@$SOURCE_DATE_EPOCH" sbom.cdx.json

# Runs as a user without rights, from a root file system that may be read-only; only /data is written.
# What an agent is told of its heap saves 10 MB of an idle one and 25 MB of a loaded one, for 5 % of its CPU (bench/README.md).
FROM scratch AS base
COPY --from=system /system /
COPY --from=system --chown=65532:65532 /system.data /data
ENV PATH=/usr/local/bin NODE_ENV=production DATA_DIR=/data RUNTIMES_DIR=/opt/outpost/runtimes MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536
WORKDIR /app
USER 65532:65532
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/local/bin/outpost", "healthcheck"]
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.licenses="MIT" org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"
ENTRYPOINT ["/usr/local/bin/tini", "-s", "--", "/usr/local/bin/node", "--disable-warning=ExperimentalWarning", "--disable-sigusr1", "--max-semi-space-size=8", "--heap-growing-percent=100", "--max-old-space-size=512", "/app/cli.js"]

FROM base AS agent-uptime
LABEL org.opencontainers.image.title="Outpost agent for uptime checks" org.opencontainers.image.description="Runs URL, API, DNS, TCP, ICMP and SSL checks in a private network"
COPY --from=bill /build/dist/agent /app
ENTRYPOINT ["/usr/local/bin/tini", "-s", "--", "/usr/local/bin/node", "--disable-warning=ExperimentalWarning", "--disable-sigusr1", "--max-semi-space-size=1", "/app/cli.js"]
EXPOSE 8081
CMD ["agent"]

FROM agent-uptime AS agent
LABEL org.opencontainers.image.title="Outpost agent" org.opencontainers.image.description="Runs every check that its runtimes allow in a private network"
COPY --from=runtimes /opt/outpost/runtimes /opt/outpost/runtimes

# Chromium keeps what it writes below /data, and /dev/shm of 64 MB is enough for it.
FROM agent-uptime AS agent-browser
LABEL org.opencontainers.image.title="Outpost agent for browser checks" org.opencontainers.image.description="Runs every check, browser checks too, in a private network"
COPY --from=browser /browser /
COPY --from=browser-bill /build/sbom.cdx.json /app/sbom.cdx.json
COPY --from=browser-runtimes /opt/outpost/runtimes /opt/outpost/runtimes

FROM agent-uptime AS migration
LABEL org.opencontainers.image.title="Outpost agent for migrations" org.opencontainers.image.description="Runs checks of several runtimes while they move from one to the next"
COPY --from=migration-runtimes /opt/outpost/runtimes /opt/outpost/runtimes

FROM base AS control-plane
LABEL org.opencontainers.image.title="Outpost control plane" org.opencontainers.image.description="Plans checks, keeps results and serves them over REST"
COPY --from=bill /build/dist/control-plane /app
ENV HOST=0.0.0.0 MALLOC_MMAP_THRESHOLD_=65536
EXPOSE 3000
CMD ["control-plane"]

FROM base AS all
LABEL org.opencontainers.image.title="Outpost" org.opencontainers.image.description="Control plane, one agent and a demo check"
COPY --from=bill /build/dist/all /app
ENV HOST=0.0.0.0
EXPOSE 3000 8081
CMD ["up"]
