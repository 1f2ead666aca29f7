# koth with the compilers of the languages that bots are written in, and its games' rules compiled.
#
#     docker build -t koth .
#     docker run --rm -it -v "$PWD:/contest" koth run zombies @gunner @runner --matches 2
#
# What isolation holds inside a container is found by `docker run --rm koth doctor`. Namespaces within a container
# usually need `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`.
FROM debian:trixie-slim
COPY packages.txt /tmp/packages.txt
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        python3 python3-venv $(sed -n 's/ image$//p' /tmp/packages.txt) \
    && rm -rf /var/lib/apt/lists/* /tmp/packages.txt
COPY . /src
RUN python3 -m venv /opt/koth && /opt/koth/bin/pip install --no-cache-dir -c /src/requirements.lock \
        /src/packages/koth /src/packages/koth-hill /src/packages/koth-cluster /src/packages/koth-studies "/src/packages/koth-learn[onnx]" \
    && rm -rf /src
ENV PATH=/opt/koth/bin:$PATH KOTH_CACHE_DIR=/opt/koth/cache
RUN useradd --create-home host && mkdir -p /opt/koth/cache /contest && chown host /opt/koth/cache /contest
USER host
RUN koth warm
WORKDIR /contest
ENTRYPOINT ["koth"]
CMD ["--help"]
