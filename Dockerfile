# The page with its embedded models, as nobody, on a read-only root:
#   docker build -t specviz . && docker run --rm --read-only --tmpfs /tmp -p 7860:7860 specviz --allow-host class.example
# Kept runs need a place that may be written: -v specviz-runs:/keep, and --keep /keep (docs/operations.md).
FROM python:3.11-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends chromium fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /specviz
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY app.py README.md LICENSE ./
COPY specviz specviz
COPY assets assets
RUN python -m compileall -q specviz && install -d -o nobody -g nogroup /keep
ENV HOME=/tmp XDG_CACHE_HOME=/tmp/cache GRADIO_TEMP_DIR=/tmp/gradio HF_HOME=/tmp/huggingface MPLCONFIGDIR=/tmp/matplotlib \
    BROWSER_PATH=/usr/bin/chromium PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER nobody
EXPOSE 7860
HEALTHCHECK --start-period=60s CMD \
  ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:7860/healthz', timeout=5)"]
ENTRYPOINT ["python", "app.py", "--host", "0.0.0.0"]
