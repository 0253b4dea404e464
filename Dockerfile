# Signalbox with the dashboard on port 4100. The image holds no agent: install yours in a stage of
# your own (RUN npm install -g @anthropic-ai/claude-code). Build: docker build -t signalbox .
# Run: docker run --rm -it --network host -v signalbox:/home/node/.signalbox signalbox
# The dashboard listens on the loopback interface, hence --network host; docs/guides/server.md says
# what another address needs (TLS or a proxy, and a passphrase).
FROM node:22.21.1-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm run build \
  && npm pack --ignore-scripts --pack-destination /tmp

FROM node:22.21.1-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends git=1:2.39.* tini=0.19.* util-linux=2.38.* \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/signalbox-*.tgz /tmp/
RUN npm install -g --ignore-scripts --no-audit --no-fund /tmp/signalbox-*.tgz && rm /tmp/signalbox-*.tgz
USER node
ENV SIGNALBOX_HOME=/home/node/.signalbox
WORKDIR /home/node
# A new volume takes owner and mode from the directory that it covers.
RUN mkdir -m 0700 .signalbox
EXPOSE 4100
# The keeper and its agents are children of the daemon: something must reap them.
ENTRYPOINT ["tini", "--", "signalbox"]
CMD ["serve", "--port", "4100"]
