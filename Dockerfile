# The program alone, as a user who owns nothing but /data. Make the binary first: npm run build:binary
# For arm64: npm run build:binary -- linux-arm64, and --build-arg BINARY=dist/crm-integrations-linux-arm64.

FROM busybox:stable AS folder
RUN mkdir -p /made/data && chmod 700 /made/data

# glibc, the C++ runtime and certificates; no shell, no package manager. nonroot is 65532.
FROM gcr.io/distroless/cc-debian12:nonroot
ARG BINARY=dist/crm-integrations-linux-x64
COPY --from=folder --chown=65532:65532 /made /
COPY --chmod=0555 ${BINARY} /usr/local/bin/crm-integrations
COPY dist/crm-integrations.licenses.txt /usr/share/doc/crm-integrations/
ENV CRM_DATA=/data CRM_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/crm-integrations"]
CMD ["serve"]
