# textveil's server in a slim image: no shell tools added, a user without rights, and a root file system that may be
# read-only. Only two volumes are written: /data has the ledger and tables that are computed once, /keys has the
# ledger's key. Back them up apart: both together allow guesses of names.
#
#   docker build --tag textveil .
#   docker run --rm --volume textveil:/data --volume textveil-keys:/keys textveil keys create --tenant ward
#   docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#       --volume textveil:/data --volume textveil-keys:/keys --publish 127.0.0.1:8000:8000 \
#       --env TEXTVEIL_UPSTREAM=https://api.openai.com/v1 textveil
#
# An address that is not of one machine alone needs API keys, so make one first. docs/gateway.md has the rest.

# The base is pinned by its exact version. A tag can be moved, a digest cannot: to build for release, look yours up and
# give --build-arg PYTHON=3.13.9-slim-trixie@sha256:... Packages have the versions that CI tests.
ARG PYTHON=3.13.9-slim-trixie

FROM python:${PYTHON} AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY .ci/constraints.txt ./constraints.txt
COPY src ./src
RUN python -m venv /venv \
    && /venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt \
        ".[server,postgresql]"

FROM python:${PYTHON}
COPY --from=build /venv /venv
RUN groupadd --system --gid 10001 textveil \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin textveil \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data /keys
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TEXTVEIL_HOST=0.0.0.0 \
    TEXTVEIL_PORT=8000 \
    TEXTVEIL_DATABASE=/data/ledger.sqlite \
    TEXTVEIL_LEDGER_KEY_FILE=/keys/ledger.key \
    TEXTVEIL_CACHE=/data/cache
VOLUME /data /keys
WORKDIR /data
EXPOSE 8000
USER 10001:10001
STOPSIGNAL SIGTERM
# Any answer will do: where `hosts` are set, this one is a refusal of the name.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client; c = http.client.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status not in (200, 421))"]
ENTRYPOINT ["textveil"]
CMD ["serve"]
