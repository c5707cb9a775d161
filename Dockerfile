# docker build -t cfglint .
# docker run --rm -v "$PWD:/repo" cfglint configs/
# docker run --rm -v "$PWD:/repo" --user "$(id -u):$(id -g)" cfglint --fix configs/
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml setup.py README.md LICENSE ./
COPY lint/ lint/
COPY rules/ rules/
COPY schemas/ schemas/
RUN pip wheel --no-cache-dir --wheel-dir /wheels .

FROM python:3.12-slim
# git is for --since; the mounted repository belongs to somebody else.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*'
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index /wheels/*.whl \
    && useradd --create-home --uid 1000 cfglint
USER 1000
WORKDIR /repo
ENTRYPOINT ["cfglint"]
