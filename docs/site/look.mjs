// Every page of the site in a real browser, narrow and wide, light and dark: nothing that axe finds, and no page
// wider than the screen. Fails if any of it does not hold.
//
//     node look.mjs target/site target/site-looks
//
// The second folder gets a picture of each. Needs Chromium (CHROMIUM names another than /usr/bin/chromium).
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const [site, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.png': 'image/png', '.woff2': 'font/woff2' };
const faults = [];
const check = (holds, what) => { if (!holds) { faults.push(what); console.log(`FAULT ${what}`); } };

// Pages and what they load; the site asks nothing of any other place.
const pages = readdirSync(site, { recursive: true }).filter((file) => file.endsWith('.html') && !/(404|print|toc)\.html$/.test(file)).sort();
const server = createServer((request, response) => {
  try {
    const body = readFileSync(join(site, new URL(request.url, 'http://x').pathname));
    response.writeHead(200, { 'content-type': TYPES[extname(request.url)] ?? 'application/octet-stream' }).end(body);
  } catch { response.writeHead(404).end(); }
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const origin = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
mkdirSync(pictures, { recursive: true });

const look = async (page, file, name) => {
  await page.goto(`${origin}/${file}`, { waitUntil: 'load' });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(wide <= 0, `${name}: ${wide} pixels wider than the screen`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  for (const it of violations) {
    check(false, `${name}: ${it.impact} ${it.id} (${it.nodes.length}): ${it.nodes[0].html.slice(0, 160)} ${it.nodes[0].failureSummary?.split('\n')[1] ?? ''}`);
  }
  await page.screenshot({ path: join(pictures, `${name}.png`) });
};

for (const theme of ['light', 'navy']) {
  for (const width of [360, 1280]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme === 'light' ? 'light' : 'dark' });
    const page = await context.newPage();
    page.on('request', (request) => check(request.url().startsWith(origin) || request.url().startsWith('data:'), `${request.url()} is elsewhere`));
    page.on('pageerror', (error) => check(false, `${page.url()}: ${error.message}`));
    for (const file of pages) await look(page, file, `${file.replaceAll('/', '-').replace('.html', '')}-${theme}-${width}`);
    await context.close();
  }
}
await browser.close();
server.close();
console.log(`${pages.length} pages, two widths, two themes: ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
