// A page that a command wrote, in a real browser: three widths, light and dark, printed, asking nothing of any other place,
// and nothing that axe calls serious. Fails if any of it does not hold.
//
//     node report.mjs report.html --pictures FOLDER
//
// Needs Chromium (CHROMIUM names another than /usr/bin/chromium).
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values: given, positionals } = parseArgs({ allowPositionals: true, options: { pictures: { type: 'string' } } });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const faults = [];
const check = (holds, what) => { if (!holds) { faults.push(what); console.log(`FAULT ${what}`); } };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });

let looked = 0;
for (const file of positionals) {
  const address = pathToFileURL(resolve(file)).href;
  for (const width of [360, 820, 1440]) for (const colorScheme of ['light', 'dark']) {
    const name = `${basename(file)} ${width} ${colorScheme}`;
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    page.on('console', (said) => { if (said.type() === 'error') check(false, `${name}: ${said.text()}`); });
    page.on('pageerror', (error) => check(false, `${name}: ${error.message}`));
    page.on('request', (request) => check(request.url() === address || request.url().startsWith('data:'), `${name}: asks ${request.url()}`));
    await page.goto(address);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(over <= 0, `${name}: ${over} pixels too wide`);
    if (given.pictures) await page.screenshot({ path: join(given.pictures, `${name.replaceAll(/[ .]/g, '-')}.png`), fullPage: true });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    for (const it of violations.filter((one) => ['serious', 'critical'].includes(one.impact))) check(false, `${name}: ${it.id}: ${it.nodes[0].html.slice(0, 160)}`);
    if (width === 820 && colorScheme === 'light') {
      const path = join(given.pictures ?? '/tmp', `${basename(file)}.pdf`);
      await page.pdf({ path, format: 'A4', printBackground: true });
      check(statSync(path).size > 5_000, `${name}: the print is empty`);
    }
    looked += 1;
    await context.close();
  }
}
await browser.close();
console.log(`${looked} views, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
