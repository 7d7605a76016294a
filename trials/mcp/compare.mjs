// Asks every server the same with and without a wrapper, with the official client for JavaScript, which checks results against output schemas.
//
//     node compare.mjs
//     node compare.mjs --wrap 'tersely mcp --' --only memory
//
// `servers.py --json` says what to ask, and `judge.py` compares.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: given } = parseArgs({ options: { wrap: { type: 'string', default: '' }, only: { type: 'string', multiple: true } } });
const here = dirname(fileURLToPath(import.meta.url));
const cache = process.env.TERSELY_CACHE || join(homedir(), '.cache', 'tersely');
const require = createRequire(join(cache, 'mcp', 'npm', 'none.js'));
const sdk = (path) => require(`@modelcontextprotocol/sdk/${path}`);
const { Client } = sdk('client/index.js');
const { StdioClientTransport } = sdk('client/stdio.js');
const types = sdk('types.js');

const RESULTS = {
  ping: types.EmptyResultSchema,
  'logging/setLevel': types.EmptyResultSchema,
  'prompts/get': types.GetPromptResultSchema,
  'resources/read': types.ReadResourceResultSchema,
  'resources/subscribe': types.EmptyResultSchema,
  'resources/unsubscribe': types.EmptyResultSchema,
  'completion/complete': types.CompleteResultSchema,
};
const LISTS = {
  tools: (client, page) => client.listTools(page).then((found) => [found.tools, found.nextCursor]),
  resources: (client, page) => client.listResources(page).then((found) => [found.resources, found.nextCursor]),
  templates: (client, page) => client.listResourceTemplates(page).then((found) => [found.resourceTemplates, found.nextCursor]),
  prompts: (client, page) => client.listPrompts(page).then((found) => [found.prompts, found.nextCursor]),
};

function newClient(root, heard) {
  const capabilities = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } };
  const client = new Client({ name: 'compare', version: '1.0.0' }, { capabilities });
  client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => ({
    role: 'assistant',
    content: { type: 'text', text: `I was allowed ${params.maxTokens} tokens.` },
    model: 'none',
    stopReason: 'endTurn',
  }));
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
    const wanted = params.requestedSchema.properties.interpretation;
    return { action: 'accept', content: wanted ? { interpretation: wanted.oneOf[0].const } : { name: 'A Person', check: true } };
  });
  client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href, name: 'fixtures' }] }));
  client.fallbackNotificationHandler = async ({ method }) => {
    heard[method] = (heard[method] ?? 0) + 1;
  };
  return client;
}

async function session(server, wrap, root, log) {
  const heard = {};
  const client = newClient(root, heard);
  const [command, ...args] = [...words(wrap.replaceAll('{name}', server.name)), ...server.command];
  const transport = new StdioClientTransport({ command, args, env: server.env, stderr: log });
  let protocol;
  transport.setProtocolVersion = (version) => {
    protocol = version;
  };
  await client.connect(transport);
  const hello = {
    protocol,
    info: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions() ?? null,
  };
  const lists = {};
  for (const name of Object.keys(LISTS)) lists[name] = await listed(client, name);
  await sleep(server.name === 'everything' ? 500 : 0); // It asks for the roots after 350 ms.
  const answers = [];
  for (const step of server.steps) answers.push(await answer(client, step));
  await client.close();
  return { hello, ...lists, answers, notifications: heard };
}

// A command line, split at blanks but not within quotes.
function words(line) {
  return (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

async function listed(client, name) {
  const found = [];
  try {
    for (let cursor; ; ) {
      const [page, next] = await LISTS[name](client, { cursor });
      found.push(...page);
      if (!next) return found;
      cursor = next;
    }
  } catch (error) {
    return fault(error);
  }
}

async function answer(client, step) {
  try {
    return { result: (await ask(client, step)) ?? null };
  } catch (error) {
    return { error: fault(error) };
  }
}

// Progress is asked for but not kept: this client may lose the last one when the result comes in the same read.
async function ask(client, { method, params, seconds }) {
  if (method.startsWith('notifications/')) return client.notification({ method });
  if (method !== 'tools/call') return client.request({ method, params }, RESULTS[method]);
  if (params.name === 'simulate-research-query') return asTask(client, params);
  return client.callTool(params, undefined, { timeout: seconds * 1000, onprogress: () => {} });
}

// The result of a tool that only runs as a task: it comes with `tasks/result`.
async function asTask(client, params) {
  for await (const event of client.experimental.tasks.callToolStream(params, types.CallToolResultSchema, { task: { ttl: 60000 } })) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'result') {
      const { _meta, ...result } = event.result;
      return result;
    }
  }
  throw new Error('the task ended without a result');
}

function fault(error) {
  return { code: error.code ?? null, message: error.message, data: error.data ?? null };
}

const table = spawn('python3', [join(here, 'servers.py'), '--json'], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: table.stdout })[Symbol.asyncIterator]();
const { root, servers } = JSON.parse((await lines.next()).value);
const folder = mkdtempSync(join(tmpdir(), 'compare-'));
const observed = [];
for (const server of servers) {
  if (given.only && !given.only.includes(server.name)) continue;
  const found = { name: server.name, steps: server.steps };
  for (const [kind, wrap] of [['direct', ''], ['wrapped', given.wrap]]) {
    table.stdin.write('\n');
    await lines.next();
    found[kind] = await session(server, wrap, join(root, 'files'), openSync(join(folder, `${server.name}.${kind}.txt`), 'w'));
  }
  observed.push(found);
}
table.stdin.end();
const file = join(folder, 'observed.json');
writeFileSync(file, JSON.stringify(observed));
const { status } = spawnSync('python3', [join(here, 'judge.py'), file], { stdio: 'inherit' });
rmSync(folder, { recursive: true });
process.exit(status);
