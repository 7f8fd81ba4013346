# Meridian's image: what `make build` makes, and nothing that runs as root.
#
# It is meant for real Kafka and ClickHouse servers (see docker-compose.yml). The embedded ClickHouse library is not in
# it; mount one and name it in MERIDIAN_CHDB_LIB to do without servers.

FROM golang:1.26-bookworm AS go

FROM node:22-bookworm AS build
COPY --from=go /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH
WORKDIR /src
COPY . .
RUN make build && mkdir /data

# The binary needs the C library, to be able to load the embedded ClickHouse.
FROM debian:12-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /data /data
COPY --from=build /src/bin/meridian /meridian
USER 65532:65532
ENV MERIDIAN_DATA_DIR=/data MERIDIAN_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/meridian", "healthcheck"]
ENTRYPOINT ["/meridian"]
CMD ["serve"]
