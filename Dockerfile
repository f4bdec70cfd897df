# textveil's server in a slim image: no shell tools added, a user without rights, and a root file system that may be
# read-only. Only /data is written: the ledger with its key, and tables that are computed once.
#
#   docker build --tag textveil .
#   docker run --rm --volume textveil:/data textveil keys create --tenant ward
#   docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#       --volume textveil:/data --publish 127.0.0.1:8000:8000 --env TEXTVEIL_UPSTREAM=https://api.openai.com/v1 textveil
#
# An address that is not of one machine alone needs API keys, so make one first. docs/gateway.md has the rest.

ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN python -m venv /venv \
    && /venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check ".[server,postgresql]"

FROM python:${PYTHON}-slim
COPY --from=build /venv /venv
RUN groupadd --system --gid 10001 textveil \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin textveil \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TEXTVEIL_HOST=0.0.0.0 \
    TEXTVEIL_PORT=8000 \
    TEXTVEIL_DATABASE=/data/ledger.sqlite \
    TEXTVEIL_CACHE=/data/cache
VOLUME /data
WORKDIR /data
EXPOSE 8000
USER 10001:10001
STOPSIGNAL SIGTERM
# Any answer will do: where `hosts` are set, this one is a refusal of the name.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client; c = http.client.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status not in (200, 421))"]
ENTRYPOINT ["textveil"]
CMD ["serve"]
