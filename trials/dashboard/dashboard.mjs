// Every view of the dashboard in a real browser: three widths, light and dark, by keyboard, and nothing that axe calls
// serious. Fails if any of it does not hold.
//
//     node dashboard.mjs --tersely ../../target/release/tersely --history year.db --pictures ../../docs/pictures
//
// `--history` names a file that is shown; without it, an empty one. Needs Chromium (CHROMIUM names another than
// /usr/bin/chromium).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values: given } = parseArgs({ options: { tersely: { type: 'string' }, history: { type: 'string' }, pictures: { type: 'string' } } });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TOKEN = 'open sesame / 7';
const VIEWS = ['overview', 'requests', 'sessions', 'try'];
const WIDTHS = [360, 820, 1440];
const faults = [];
const check = (holds, what) => { if (!holds) { faults.push(what); console.log(`FAULT ${what}`); } };

const folder = mkdtempSync(join(tmpdir(), 'tersely-dashboard-'));
// A run as cargo prints one: 63 tests pass and one does not.
const RUN = ['running 64 tests', ...Array.from({ length: 63 }, (_, n) => `test cart::tests::case_${n} ... ok`), 'test cart::tests::total ... FAILED', '', 'failures:', '', '---- cart::tests::total stdout ----', "thread 'cart::tests::total' panicked at src/cart.rs:88:9:", 'assertion `left == right` failed', '  left: 1799', '  right: 1800', '', 'test result: FAILED. 63 passed; 1 failed; 0 ignored'].join('\n');

// Starts `tersely dashboard`, and gives its address and a way to end it.
const start = async (history, token) => {
  const config = join(folder, 'tersely.toml');
  writeFileSync(config, `[history]\nfile = "${history}"\n${token ? `[admin]\ntoken = "${token}"\n` : ''}`);
  const child = spawn(given.tersely, ['dashboard', '--listen', '127.0.0.1:0', '--config', config]);
  const address = await new Promise((found, lost) => {
    child.stderr.on('data', (said) => { const at = String(said).match(/http:[^ ]+/); if (at) found(at[0]); });
    child.on('exit', (code) => lost(new Error(`it ended with ${code}`)));
  });
  return { address, end: () => child.kill('SIGINT') };
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// Opens a page that tells of every error and of everything that it asks of another place.
const open = async (address, options, name) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('console', (said) => { if (said.type() === 'error') check(false, `${name}: ${said.text()}`); });
  page.on('pageerror', (error) => check(false, `${name}: ${error.message}`));
  page.on('request', (request) => check(request.url().startsWith(new URL(address).origin) || request.url().startsWith('data:'), `${name}: asks ${request.url()}`));
  return page;
};

const serious = async (page, name) => {
  // Playwright evaluates outside the page's policy, so that the policy can stay as it is.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  for (const it of violations.filter((one) => ['serious', 'critical'].includes(one.impact))) {
    check(false, `${name}: ${it.id}: ${it.nodes[0].html.slice(0, 160)} ${it.nodes[0].failureSummary?.split('\n')[1] ?? ''}`);
  }
  return violations.length;
};

const settled = async (page, view) => {
  await page.waitForSelector('#main > *:not(.hint)');
  if (view === 'sessions') await page.waitForSelector('.turns, .empty, .card p.hint');
};

let looked = 0;
let lesser = 0;
const filled = await start(given.history ?? join(folder, 'none.db'));
for (const width of WIDTHS) for (const colorScheme of ['light', 'dark']) for (const view of VIEWS) {
  const name = `${view} ${width} ${colorScheme}`;
  const page = await open(filled.address, { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' }, name);
  await page.goto(`${filled.address}#${view}`);
  await settled(page, view);
  if (view === 'requests' && (await page.$('.stream'))) await page.click('.stream summary >> nth=0');
  if (view === 'try') {
    await page.fill('[name=tool]', 'Bash');
    await page.fill('[name=command]', 'cargo test');
    await page.fill('textarea', RUN);
    await page.click('text=Shorten');
    await page.waitForSelector('.big');
    check((await page.textContent('.try pre')).includes('cart::tests::total ... FAILED'), `${name}: the failure is gone`);
    check((await page.$$('.steps li')).length > 0, `${name}: no steps`);
  }
  if (view === 'sessions') {
    const sides = await page.$$eval('.pick button', (rows) => rows.flatMap((row) => [row, row.children[0]]).map((it) => getComputedStyle(it).textAlign));
    check(sides.every((side) => side === 'left' || side === 'start'), `${name}: rows begin at different sides: ${sides}`);
  }
  const green = await page.$$eval('.part', (parts) => parts.filter((it) => it.textContent.startsWith('-') && !it.classList.contains('less')).length);
  check(green === 0, `${name}: ${green} losses look like savings`);
  const bare = await page.$$eval('.bars .name[title]', (names) => names.filter((it) => it.closest('.card').querySelector('h2').textContent.match(/^(Tools|Stages)/) && !it.title.endsWith('.')).map((it) => it.textContent));
  check(bare.length === 0, `${name}: nothing says what these are: ${bare}`);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(over <= 0, `${name}: ${over} pixels too wide`);
  lesser += await serious(page, name);
  const keep = { 'overview 1440 light': 'overview', 'sessions 1440 dark': 'sessions', 'try 1440 light': 'try', 'overview 360 dark': 'narrow' }[name];
  if (keep && given.pictures) await page.screenshot({ path: join(given.pictures, `dashboard-${keep}.png`) });
  looked += 1;
  await page.context().close();
}

// From the address to the numbers, in a browser that has never been there.
const times = [];
for (let round = 0; round < 5; round += 1) {
  const page = await open(filled.address, { viewport: { width: 1440, height: 900 } }, 'first paint');
  await page.goto(filled.address);
  await settled(page, 'overview');
  times.push(await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, performance.now()]));
  await page.context().close();
}
const middle = (list) => Math.round(list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]);
const [painted, numbers] = [middle(times.map((it) => it[0])), middle(times.map((it) => it[1]))];
check(painted <= 1000 && numbers <= 1000, `first paint after ${painted} ms, numbers after ${numbers} ms`);

// By keyboard alone.
const typist = await open(filled.address, { viewport: { width: 1440, height: 900 } }, 'keyboard');
await typist.goto(filled.address);
await settled(typist, 'overview');
const reached = new Set();
for (let press = 0; press < 40; press += 1) {
  await typist.keyboard.press('Tab');
  reached.add(await typist.evaluate(() => document.activeElement.textContent.trim()));
}
for (const name of ['Skip to content', 'Overview', 'Requests', 'Sessions', 'Try it']) check(reached.has(name), `keyboard: ${name} is not reached`);
if (given.history) {
  await typist.focus('[data-key=period-all]');
  await typist.keyboard.press('Enter');
  check(await typist.evaluate(() => document.activeElement.getAttribute('aria-pressed') === 'true'), 'keyboard: the period is not chosen, or focus is lost');
}
await typist.context().close();
filled.end();

// With nothing to show, and with a token to know.
const empty = await start(join(folder, 'none.db'), TOKEN);
const visitor = await open(empty.address, { viewport: { width: 820, height: 700 }, colorScheme: 'dark' }, 'login');
const hearing = visitor.listeners('console');
visitor.removeAllListeners('console');
await visitor.goto(empty.address);
check((await visitor.$('nav')) === null, 'login: the page is shown to whoever comes');
lesser += await serious(visitor, 'login');
await visitor.fill('#token', 'wrong');
await visitor.keyboard.press('Enter');
await visitor.waitForSelector('.wrong:not([hidden])');
for (const hear of hearing) visitor.on('console', hear);
await visitor.fill('#token', TOKEN);
await visitor.keyboard.press('Enter');
await visitor.waitForSelector('.empty');
lesser += await serious(visitor, 'empty');
check((await visitor.textContent('.empty')).includes('tersely run claude'), 'empty: it does not say what to do');
check(!(await visitor.evaluate(() => document.cookie)), 'login: a script can read the cookie');
// Whoever is not admitted is told so by a status, which a browser calls an error.
visitor.removeAllListeners('console');
await visitor.click('text=Log out');
await visitor.waitForSelector('#token');
empty.end();
await browser.close();
rmSync(folder, { recursive: true });

console.log(`${looked} views, ${faults.length} faults, ${lesser} lesser remarks of axe; first paint ${painted} ms, numbers ${numbers} ms`);
process.exit(faults.length ? 1 : 0);
