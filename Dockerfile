# reportgen as an image: small, for a user without rights, and in no need of a network (docs/pipeline.md).
#   docker build --tag reportgen .
#   docker run --rm --network none --user "$(id -u):$(id -g)" --volume "$PWD:/work" reportgen evaluate scores.csv
# Debian has the Pango libraries and a typeface for the scripts that the report's own fonts lack.
FROM debian:trixie-slim

RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 python3-venv libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/*

COPY pyproject.toml README.md LICENSE NOTICE /source/
COPY reportgen /source/reportgen
COPY report_sections /source/report_sections
COPY templates /source/templates
RUN python3 -m venv /opt/reportgen \
 && /opt/reportgen/bin/pip install --no-cache-dir --no-compile '/source[yaml]' \
 && rm -r /source

# The example shows that the image works, and compiles what a report uses: later no module can be written.
COPY example_reports/asap2/config.toml example_reports/asap2/scores.csv example_reports/asap2/NOTICE /example/
RUN /opt/reportgen/bin/reportgen evaluate /example/config.toml /tmp/report && rm -r /tmp/report

RUN useradd --create-home reportgen && mkdir /work && chown reportgen /work
ENV PATH=/opt/reportgen/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/tmp
USER reportgen
WORKDIR /work
ENTRYPOINT ["reportgen"]
CMD ["--help"]
