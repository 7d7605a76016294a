'use strict';
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const PERIODS = [['today', 'Today'], ['week', 'Week'], ['month', '30 days'], ['all', 'All']];
  const NAMES = { today: 'today', week: 'this week', month: 'in the last 30 days', all: 'so far' };
  const ABOUT = /*names*/;
  const main = document.getElementById('main');
  const live = document.getElementById('live');
  const state = { stats: null, period: null, session: null, turns: null, open: new Set(), more: new Set(), seen: 0, trial: null, order: 'latest' };

  // Elements. Text is only ever text.
  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value == null) continue;
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else if (name === 'width%') node.style.width = `${Math.max(0, Math.min(100, value))}%`;
      else node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.flat(9).filter((child) => child != null && child !== false));
    return node;
  };
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  // Amounts.
  const exact = (number) => Math.round(number).toLocaleString('en-US');
  const short = (number) => {
    const size = Math.abs(number);
    const [unit, name] = size < 1e3 ? [1, ''] : size < 1e6 ? [1e3, ' k'] : size < 1e9 ? [1e6, ' M'] : [1e9, ' G'];
    const value = number / unit;
    return (unit === 1 ? exact(value) : value.toFixed(size / unit < 10 ? 2 : size / unit < 100 ? 1 : 0)) + name;
  };
  const share = (part, whole) => (whole > 0 ? `${((part * 100) / whole).toFixed(1)} %` : '–');
  const dollars = (sum) => `${sum < 0 ? '-' : ''}$${Math.abs(sum) >= 1000 ? exact(Math.abs(sum)) : Math.abs(sum).toFixed(2)}`;
  const time = (micros) => (micros >= 1e6 ? `${(micros / 1e6).toFixed(1)} s` : micros >= 1e3 ? `${(micros / 1e3).toFixed(micros < 1e4 ? 1 : 0)} ms` : `${exact(micros)} µs`);
  const clock = (at) => new Date(at).toLocaleTimeString([], { hour12: false });
  const when = (at) => (Date.now() - at < 864e5 ? clock(at) : new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short' }));
  const saved = (it) => it.tokens_saved ?? it.tokens_before - it.tokens_after - (it.tokens_fetched || 0);
  const percent = (value) => `${Number(value.toFixed(1))} %`;
  // What a session used of a window: an upper bound if others used the account meanwhile.
  const points = (it) => `${it.name} ${it.shared ? '≤ ' : '+'}${Number(it.points.toFixed(1))}`;
  const until = (seconds) => { const left = Math.max(0, seconds - Date.now() / 1000); return left < 5400 ? `${Math.round(left / 60)} min` : left < 172800 ? `${Math.round(left / 3600)} h` : `${Math.round(left / 86400)} days`; };
  const plural = (number, thing) => `${exact(number)} ${thing}${number === 1 ? '' : 's'}`;

  const track = (whole, ...parts) => h('span', { class: 'track', 'aria-hidden': 'true' },
    parts.map(([kind, value]) => h('i', { class: kind, 'width%': whole > 0 ? (value * 100) / whole : 0 })));

  // A list of names with what was sent and what was saved of it.
  const bars = (title, about, rows) => {
    const most = Math.max(1, ...rows.map((row) => row.before));
    const shown = state.more.has(title) ? rows : rows.slice(0, 6);
    return h('section', { class: 'card' },
      h('h2', {}, title, h('span', {}, about)),
      rows.length ? h('ul', { class: 'bars' }, shown.map((row) => h('li', {},
        h('span', { class: 'name', title: row.about ?? row.name }, row.name, row.extra && h('small', {}, ` ${row.extra}`)),
        h('span', { class: 'sum' }, row.sum ?? short(row.before)),
        h('span', { class: `part${row.saved < 0 ? ' less' : ''}` }, row.part ?? share(row.saved, row.before)),
        track(most, ['kept', row.before - Math.max(0, row.saved)], ['saved', Math.max(0, row.saved)])))) : h('p', { class: 'hint' }, 'Nothing yet.'),
      rows.length > 6 && h('button', { class: 'quiet more', 'data-key': `more-${title}`, 'aria-expanded': String(state.more.has(title)), onclick: () => {
        state.more[state.more.has(title) ? 'delete' : 'add'](title);
        render();
      } }, state.more.has(title) ? 'Fewer' : `${rows.length - 6} more`));
  };

  const chart = (stats, period) => {
    const hourly = period === 'today';
    const length = period === 'week' ? 7 : period === 'month' ? 30 : 90;
    const points = hourly
      ? stats.hours.map((it) => ({ name: new Date(it.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false }), before: it.before, saved: it.before - it.after }))
      : stats.days.slice(-length).map((it) => ({ name: it.day, before: it.tokens_before, saved: it.tokens_saved }));
    const [width, height, foot] = [1000, 190, 1];
    const most = Math.max(1, ...points.map((it) => it.before));
    const step = width / points.length;
    const bar = step * (points.length > 40 ? 0.74 : 0.66);
    const y = (value) => (value / most) * (height - foot - 14);
    const drawn = points.map((it, at) => {
      const [all, less] = [y(it.before), y(Math.max(0, it.saved))];
      const x = at * step + (step - bar) / 2;
      return s('g', {},
        s('title', {}, `${it.name}: ${exact(it.before)} tokens, ${exact(it.saved)} saved (${share(it.saved, it.before)})`),
        s('rect', { class: 'hit', x: at * step, y: 0, width: step, height: height - foot }),
        s('rect', { class: 'kept', x, y: height - foot - all + less, width: bar, height: Math.max(0, all - less), rx: 1.5 }),
        s('rect', { class: 'saved', x, y: height - foot - all, width: bar, height: less, rx: 1.5 }));
    });
    const marks = [0, Math.floor((points.length - 1) / 2), points.length - 1];
    const anchor = ['start', 'middle', 'end'];
    const total = points.reduce((sum, it) => sum + it.before, 0);
    const less = points.reduce((sum, it) => sum + it.saved, 0);
    return h('figure', { class: 'card' },
      h('h2', {}, hourly ? 'The last 24 hours' : period === 'week' ? 'The last 7 days' : `The last ${length} days`,
        h('span', { class: 'key' }, h('span', {}, h('i', { class: 'k-saved' }), 'saved'), h('span', {}, h('i', { class: 'k-kept' }), 'sent'))),
      s('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${short(total)} tokens, ${short(less)} saved` },
        s('line', { class: 'axis', x1: 0, x2: width, y1: height - foot + 0.5, y2: height - foot + 0.5 }), drawn),
      h('div', { class: 'hint chart-marks' }, marks.map((at) => h('span', {}, points[at]?.name ?? ''))));
  };

  // Tenants with their money, if there is a price.
  const owners = (list) => list.map((it) => ({ name: it.name || 'none', extra: it.priced_requests ? `${dollars(it.usd_saved)} saved` : '', about: it.priced_requests ? `${it.name || 'none'}: ${dollars(it.usd_paid)} paid, ${dollars(it.usd_saved)} saved` : null, before: it.tokens_before, saved: it.tokens_saved }));

  const parts = (list) => list.map((it) => ({ name: it.name || '(unknown)', before: it.tokens_before, saved: it.tokens_saved }));

  const overview = (stats) => {
    const period = state.period ?? (state.period = stats.periods.today.requests > 0 ? 'today' : 'all');
    const sums = stats.periods[period];
    const read = sums.billed_input + sums.billed_cache_read + sums.billed_cache_write;
    const less = sums.tokens_saved < 0;
    return [
      h('section', { class: 'hero' },
        h('h1', {}, share(Math.abs(sums.tokens_saved), sums.tokens_before).replace('–', '0 %'),
          h('small', {}, `of tokens ${less ? 'added' : 'saved'} ${NAMES[period]}: `, h('b', {}, exact(Math.abs(sums.tokens_saved))), ` of ${exact(sums.tokens_before)}`)),
        h('div', { class: 'periods', role: 'group', 'aria-label': 'Period' }, PERIODS.map(([key, name]) =>
          h('button', { 'data-key': `period-${key}`, 'aria-pressed': String(key === period), onclick: () => { state.period = key; render(); } }, name))),
        h('dl', { class: 'facts' },
          fact('Money saved (estimate)', sums.priced_requests ? dollars(sums.usd_saved) : '–', sums.priced_requests ? `of ${dollars(sums.usd_without)}` : 'no price known'),
          sums.untouched_requests > 0 && fact('Possible saving', share(sums.would_tokens_saved, sums.would_tokens_before), `of ${plural(sums.untouched_requests, 'request')} sent unchanged`),
          fact('Requests', exact(sums.requests), sums.failed ? `${exact(sums.failed)} failed` : ''),
          fact('Results changed', exact(sums.changed), `of ${short(sums.results)}`),
          fact('Fetched back by models', short(sums.tokens_fetched), 'tokens'),
          fact('Prompt cache hits', share(sums.billed_cache_read, read), read ? `of ${short(read)} input tokens` : ''),
          stats.limits.map((it) => fact(`${it.name} limit`, percent(it.used_pct), `used, resets in ${until(it.resets)}`)),
          fact('Latency added', time(stats.latency.rewrite.p50_us), `p95 ${time(stats.latency.rewrite.p95_us)}`))),
      chart(stats, period),
      stats.holdout && h('div', { class: 'grid' }, holdout(stats.holdout)),
      h('div', { class: 'grid' },
        bars('Tools', 'tokens in results', sums.tools.map((it) => ({ name: it.tool, extra: it.family === it.tool ? '' : it.family, about: [ABOUT.tool[it.tool], ABOUT.text[it.family]].filter(Boolean).join(' '), before: it.tokens_before, saved: it.tokens_saved }))),
        bars('Stages', 'tokens saved', sums.stages.map((it) => ({ name: it.stage, about: ABOUT.stage[it.stage], extra: it.fetch_calls ? `fetched back ${exact(it.fetch_calls)}×` : '', before: Math.max(0, it.tokens_saved), saved: it.tokens_saved, sum: '', part: short(it.tokens_saved) }))),
        sums.tenants.some((it) => it.name) && bars('Tenants', 'all tokens', owners(sums.tenants)),
        bars('Clients', 'all tokens', parts(sums.clients)),
        bars('Projects', 'all tokens', parts(sums.projects)),
        bars('Models', 'all tokens', parts(sums.models)),
        failures(stats, period),
        health(stats)),
    ];
  };

  // Failed requests over time, and what they were in the last 24 hours.
  const FAULTS = { client: 'the client', upstream: 'the provider or the connection to it', us: 'Tersely', left: 'the client disconnected', answered: 'error response from the provider' };
  const failures = (stats, period) => {
    const hourly = period === 'today';
    const length = period === 'week' ? 7 : period === 'month' ? 30 : 90;
    const points = hourly
      ? stats.hours.map((it) => ({ name: clock(it.at).slice(0, 5), failed: it.failed, all: it.requests }))
      : stats.days.slice(-length).map((it) => ({ name: it.day, failed: it.failed, all: it.requests }));
    const [width, height] = [1000, 90];
    const most = Math.max(1, ...points.map((it) => it.failed));
    const total = points.reduce((sum, it) => sum + it.failed, 0);
    const step = width / points.length;
    return h('section', { class: 'card' },
      h('h2', {}, 'Failures', h('span', {}, total ? `${plural(total, 'request')}, ${hourly ? '24 hours' : `${length} days`}` : 'none')),
      total > 0 && s('svg', { class: 'chart low', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': plural(total, 'failed request') },
        s('line', { class: 'axis', x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }),
        points.map((it, at) => s('g', {},
          s('title', {}, `${it.name}: ${exact(it.failed)} of ${plural(it.all, 'request')} failed`),
          s('rect', { class: 'hit', x: at * step, y: 0, width: step, height }),
          s('rect', { class: 'failed', x: at * step + step * 0.17, y: height - 1 - (it.failed / most) * (height - 10), width: step * 0.66, height: (it.failed / most) * (height - 10), rx: 1.5 })))),
      stats.failures.length > 0 && h('dl', { class: 'pairs' }, stats.failures.map((it) =>
        [h('dt', {}, `${it.status || 'no response'}: ${FAULTS[it.end] ?? it.end}`), h('dd', {}, exact(it.requests))])),
      stats.failures.length > 0 && h('p', { class: 'hint' }, 'Last 24 hours, by status and cause.'));
  };

  const fact = (name, value, about) => h('div', {}, h('dt', {}, name), h('dd', {}, value, ' ', about && h('small', {}, about)));

  // Sessions that were left as they came against the others.
  const MEASURES = { billed_cost: 'Cost per session', billed_cost_ratio: 'Cost of a typical session', turns: 'Turns per session', rereads: 'Re-reads per session', window_5h_points: 'Percentage points of the 5-hour limit' };
  const holdout = (it) => {
    const cost = (sum) => `$${Math.abs(sum).toFixed(Math.abs(sum) < 1 ? 4 : 2)}`;
    const amount = (name, value) => (name.startsWith('billed_cost') ? cost(value) : value.toFixed(1));
    const gap = (name, value) => `${name === 'billed_cost' ? cost(value) : name === 'billed_cost_ratio' ? `${Math.abs(value * 100).toFixed(1)} %` : Math.abs(value).toFixed(2)} ${value < 0 ? 'less' : 'more'}`;
    const told = ({ name, difference, low, high, clear, more_sessions: more, more_sessions_for_a_tenth: tenth }) => (difference == null
      ? `not enough data: about ${plural(tenth, 'more session')} needed`
      : clear ? `${gap(name, difference)}; 95 % confidence: ${gap(name, low)} to ${gap(name, high)}`
        : `not clear yet: ${gap(name, low)} to ${gap(name, high)}${more ? `; about ${plural(more, 'more session')} needed` : ''}`);
    return h('section', { class: 'card' }, h('h2', {}, 'Hold-out', h('span', {}, `${it.share} of sessions ${it.of === 'clear' ? 'not cleared' : 'sent unchanged'}: ${exact(it.treated)} treated · ${exact(it.held_out)} held out · ${exact(it.running)} in progress`)),
      h('dl', { class: 'pairs' },
        it.measures.map((one) => [h('dt', {}, MEASURES[one.name], ': ', h('small', { class: 'hint' }, told(one))),
          h('dd', { title: 'treated · held out' }, one.difference == null ? '–' : `${amount(one.name, one.treated.mean)} · ${amount(one.name, one.held_out.mean)}`)])));
  };

  const health = (stats) => {
    const pair = (name, value, bad) => [h('dt', {}, name), h('dd', { class: bad ? 'bad' : null }, value)];
    const wait = (it) => `${time(it.p50_us)} · ${time(it.p95_us)}`;
    const { store, history } = stats;
    return h('section', { class: 'card' }, h('h2', {}, 'Health', h('span', {}, 'p50 · p95')),
      h('dl', { class: 'pairs' },
        pair('Total request time', wait(stats.latency.request)),
        pair('Provider, until the first byte', wait(stats.latency.upstream)),
        pair('Rewriting requests', wait(stats.latency.rewrite)),
        store && pair(`Store, ${store.place}`, `${short(store.kept)} stored · ${short(store.hits)} found`),
        store && store.failures + store.spoiled > 0 && pair('Store failures', exact(store.failures + store.spoiled), true),
        history && pair('Requests not recorded', history.dropped ? exact(history.dropped) : 'none', history.dropped > 0)),
      history?.fault && h('p', { class: 'hint bad more' }, `History: ${history.fault}`));
  };

  const results = (list) => h('ul', { class: 'results' }, list.map((it) => h('li', {},
    h('span', { class: 'mono' }, it.tool),
    h('span', { class: 'chips' }, h('span', { class: 'chip', title: ABOUT.text[it.family] }, it.family), it.stages.map((stage) => h('span', { class: 'chip good', title: ABOUT.stage[stage] }, stage)),
      !it.stages.length && h('span', { class: 'hint' }, it.status.replaceAll('_', ' '))),
    h('span', { class: 'num' }, it.tokens_after < it.tokens_before ? `${exact(it.tokens_before)} → ${exact(it.tokens_after)}` : exact(it.tokens_before)))));

  const requests = (stats) => {
    const row = (it) => {
      const failed = it.status < 200 || it.status >= 300;
      const fresh = state.seen && it.id > state.seen;
      return h('li', { class: fresh ? 'new' : null }, h('details', { open: state.open.has(it.id), ontoggle: (event) => state.open[event.target.open ? 'add' : 'delete'](it.id) },
        h('summary', { 'data-key': `request-${it.id}` },
          h('span', { class: 'dim' }, when(it.at)),
          h('span', {}, it.client ?? it.provider ?? 'unknown', [it.tenant, it.project].filter(Boolean).map((name) => h('span', { class: 'dim' }, ` · ${name}`))),
          h('span', { class: 'dim' }, it.model ?? ''),
          h('span', { class: 'dim' }, failed ? '' : `${it.changed} of ${plural(it.results, 'result')}`),
          h('span', { class: 'num dim' }, failed ? '' : `${short(it.tokens_before)} → ${short(it.tokens_after)}`),
          h('span', { class: failed ? 'num bad' : `part${saved(it) < 0 ? ' less' : ''}` }, failed ? `${it.status || it.end}` : share(saved(it), it.tokens_before))),
        h('div', { class: 'detail' },
          h('p', { class: 'hint' }, `${time(it.duration_us)} total`, it.rewrite_us != null && `, ${time(it.rewrite_us)} in Tersely`,
            it.billed && ` · billed tokens: ${exact(it.billed.input)} input, ${exact(it.billed.cache_read)} cache read, ${exact(it.billed.cache_write)} cache write, ${exact(it.billed.output)} output`,
            it.limits.map((limit) => ` · ${limit.name} ${percent(limit.used_pct)} used`),
            it.usd && ` · about ${dollars(it.usd.paid)} instead of ${dollars(it.usd.without)}`,
            it.tokens_fetched ? ` · ${plural(it.tokens_fetched, 'token')} to fetch omitted text` : '', it.masked ? ` · ${plural(it.masked, 'secret')} masked` : '', it.missed && ` · forwarded unchanged: ${it.missed}`),
          it.fresh.length ? results(it.fresh) : h('p', { class: 'hint' }, 'No new tool results.'),
          it.session && h('p', {}, h('a', { href: '#sessions', 'data-key': `to-session-${it.id}`, onclick: () => pick(it.session) }, 'Show all turns of this session')))));
    };
    const list = h('section', { class: 'card' }, h('h2', {}, 'Requests', h('span', {}, `the latest ${stats.requests.length}`)), h('ul', { class: 'stream' }, stats.requests.map(row)));
    state.seen = Math.max(state.seen, ...stats.requests.map((it) => it.id));
    return [h('h1', { class: 'unseen' }, 'Requests'), list];
  };

  const pick = async (session) => {
    Object.assign(state, { session, turns: null });
    render();
    const answer = await fetch(`/_tersely/session/${session}`).catch(() => null);
    if (state.session === session && answer?.ok) {
      state.turns = (await answer.json()).turns;
      render();
    }
  };

  const sessions = (stats) => {
    const list = state.order === 'cost' ? stats.costly_sessions : stats.sessions;
    if (!list.length) return [h('h1', { class: 'unseen' }, 'Sessions'), h('section', { class: 'card' }, h('p', { class: 'hint' }, 'No conversations yet.'))];
    if (!state.session) setTimeout(() => pick(list[0].session));
    const one = [...stats.sessions, ...stats.costly_sessions].find((it) => it.session === state.session);
    const order = (key, name) => h('button', { class: 'quiet', 'data-key': `order-${key}`, 'aria-pressed': String(state.order === key), onclick: () => { state.order = key; render(); } }, name);
    return [h('h1', { class: 'unseen' }, 'Sessions'), h('div', { class: 'split' },
      h('section', { class: 'card' }, h('h2', {}, 'Sessions', h('span', { class: 'order', role: 'group', 'aria-label': 'Order' }, order('latest', 'latest first'), order('cost', 'most expensive first'))), h('div', { class: 'pick' }, list.map((it) =>
        h('button', { 'data-key': `session-${it.session}`, 'aria-pressed': String(it.session === state.session), onclick: () => pick(it.session) },
          h('b', {}, [it.tenant, it.project].filter(Boolean).join(' · ') || (it.client ?? it.session.slice(0, 8))), h('span', {}, state.order === 'cost' && it.usd.paid > 0 ? dollars(it.usd.paid) : share(saved(it), it.tokens_before)),
          h('small', {}, `${plural(it.turns, 'turn')} · ${it.model ?? it.client ?? ''}`, it.limits.map((limit) => ` · ${points(limit)}`)), h('small', {}, when(it.last)))))),
      h('section', { class: 'card' }, one && h('h2', {}, `${short(saved(one))} of ${short(one.tokens_before)} tokens saved`, one.usd.paid > 0 && ` · about ${dollars(one.usd.paid)} instead of ${dollars(one.usd.without)}`, one.limits.map((limit) => ` · ${limit.name} ${percent(limit.used_pct)} used, ${limit.shared ? 'at most ' : ''}${plural(Number(limit.points.toFixed(1)), 'point')} by this session`),
        h('span', { class: 'key' }, h('span', {}, h('i', { class: 'k-read' }), 'cache read'), h('span', {}, h('i', { class: 'k-write' }), 'cache write'), h('span', {}, h('i', { class: 'k-full' }), 'full price'))),
        state.turns ? [broken(state.turns), turns(state.turns)] : h('p', { class: 'hint' }, 'Loading…')))];
  };

  const OWNERS = { client: 'client', mcp: 'an MCP server', person: 'you', provider: 'provider', tersely: 'Tersely' };

  const again = (tokens, usd) => tokens > 0 && `${short(tokens)} tokens processed again${usd > 0 ? `, about ${dollars(usd)}` : ''}`;

  // All cache breaks of a session.
  const broken = (list) => {
    const all = list.map((it) => it.cache_break).filter(Boolean);
    const sum = (name) => all.reduce((before, it) => before + (it[name] ?? 0), 0);
    return all.length > 0 && h('p', { class: 'broke' }, [plural(all.length, 'cache break'), again(sum('lost_tokens'), sum('usd'))].filter(Boolean).join(' · '));
  };

  // Why the cache was not read, whose doing it was, and what it cost.
  const missed = (it, begins) => {
    const [broke, said] = [it.cache_break, it.cache_diagnosis];
    return [
      broke ? `Cache break: ${broke.why} · ${broke.server ? `MCP server ${broke.server}` : OWNERS[broke.owner]}` : begins && 'Starts a new conversation',
      broke && again(broke.lost_tokens, broke.usd),
      said && (broke || !/not_found$|^unavailable$/.test(said.reason)) && `the provider says: ${said.says}`,
    ].filter(Boolean).join(' · ');
  };

  const turns = (list) => {
    const whole = (it) => (it.billed ? it.billed.input + it.billed.cache_read + it.billed.cache_write : it.tokens_after);
    const most = Math.max(1, ...list.map(whole));
    // The first request of each conversation beside the first one, such as a sub-agent's.
    const first = new Map();
    for (const it of list) if (it.conversation && !first.has(it.conversation)) first.set(it.conversation, it);
    const begins = new Set([...first.values()].slice(1));
    return h('ol', { class: 'turns', tabindex: '0', 'aria-label': 'Turns' }, list.map((it, at) => h('li', {},
      h('span', { class: 'n' }, at + 1),
      it.billed ? track(most, ['read', it.billed.cache_read], ['write', it.billed.cache_write], ['full', it.billed.input]) : track(most, ['kept', it.tokens_after]),
      h('span', { class: 'n' }, short(whole(it)), h('span', { class: 'unseen' }, it.billed ? ` input tokens, ${exact(it.billed.cache_read)} of them from the cache` : ' tokens sent')),
      h('span', { class: it.cache_break ? 'what broke' : 'what' }, missed(it, begins.has(it))),
      it.fresh.some((fresh) => fresh.stages.length) && h('span', { class: 'what' }, it.fresh.filter((fresh) => fresh.stages.length).map((fresh, place) =>
        [place ? ' · ' : '', h('span', { class: 'mono' }, fresh.tool), ` ${fresh.stages.join(', ')} −${short(fresh.tokens_before - fresh.tokens_after)}`])))));
  };

  const tryOut = async (form) => {
    const [data, busy] = [Object.fromEntries(new FormData(form)), form.querySelector('button')];
    busy.disabled = true;
    const answer = await fetch('/_tersely/play', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) }).catch(() => null);
    const said = await answer?.json().catch(() => null);
    state.trial = answer?.ok ? said : { error: said?.error?.message ?? 'The gateway does not respond.' };
    busy.disabled = false;
    document.getElementById('tried').replaceChildren(...tried());
  };

  const tried = () => {
    const it = state.trial;
    if (!it) return [h('p', { class: 'hint' }, 'Shows what the model would read instead, and the stages that Tersely applied.')];
    if (it.error) return [h('p', { class: 'bad' }, it.error)];
    const same = it.after >= it.before;
    return [
      h('p', { class: 'big' }, same ? 'Unchanged' : share(it.before - it.after, it.before), ' ', h('small', {}, same ? `${exact(it.before)} tokens; Tersely found no shorter form` : `saved: ${exact(it.before)} → ${exact(it.after)} tokens`)),
      h('ol', { class: 'steps', 'aria-label': 'Steps' }, it.steps.map((step) => h('li', { title: ABOUT.stage[step.stage] }, h('b', {}, step.stage), ` ${exact(step.before)} → ${exact(step.after)}`, step.loss !== 'none' && ` · loses ${step.loss}`)),
        it.masked > 0 && h('li', {}, `${plural(it.masked, 'secret')} masked`)),
      h('pre', { tabindex: '0', 'aria-label': 'After' }, it.text),
    ];
  };

  const play = (stats) => {
    const modes = ['safe', 'standard', 'aggressive'];
    const mode = stats.mode ?? 'standard';
    return [h('h1', { class: 'unseen' }, 'Try it'), h('div', { class: 'try' },
      h('form', { class: 'card', onsubmit: (event) => { event.preventDefault(); tryOut(event.target); } },
        h('h2', {}, 'A tool result', h('span', {}, 'stays on this machine')),
        h('div', { class: 'fields' },
          h('label', {}, 'Tool', h('input', { name: 'tool', placeholder: 'Bash', autocomplete: 'off', spellcheck: 'false' })),
          h('label', {}, 'Command', h('input', { name: 'command', placeholder: 'cargo test', autocomplete: 'off', spellcheck: 'false' })),
          h('label', {}, 'Mode', h('select', { name: 'mode' }, modes.map((name) => h('option', { selected: name === mode }, name))))),
        h('label', {}, h('span', { class: 'unseen' }, 'Text'), h('textarea', { name: 'text', required: true, spellcheck: 'false', placeholder: 'Paste the output of a tool: a log, a test run, JSON, a listing …' })),
        h('p', { class: 'more' }, h('button', {}, 'Shorten'))),
      h('section', { class: 'card', 'aria-live': 'polite' }, h('h2', {}, 'What the model reads'), h('div', { id: 'tried' }, tried())))];
  };

  const empty = () => [h('section', { class: 'empty' },
    h('h1', {}, 'No requests yet.'),
    h('p', {}, 'This page shows savings as soon as an agent sends requests through Tersely. To get started:'),
    h('ul', {}, [['Run an agent', 'tersely run claude'], ['Connect an agent to a running gateway', 'ANTHROPIC_BASE_URL=http' + '://127.0.0.1:8787 claude'], ['Find out why no requests arrive', 'tersely doctor']].map(([name, command]) => h('li', {}, name, h('code', { tabindex: '0' }, command)))),
    h('p', {}, 'Or ', h('a', { href: '#try' }, 'paste a tool result'), ' to see how Tersely shortens it.'))];

  const VIEWS = { overview, requests, sessions, try: play };
  let shown = null;

  const render = () => {
    const stats = state.stats;
    if (!stats) return;
    const view = VIEWS[location.hash.slice(1)] ? location.hash.slice(1) : 'overview';
    for (const link of document.querySelectorAll('nav a')) {
      if (link.hash === `#${view}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    // What someone is typing stays.
    if (view === 'try' && shown === 'try') return;
    const key = document.activeElement?.dataset?.key;
    const scrolls = [...main.querySelectorAll('.pick, .turns')].map((node) => node.scrollTop);
    const nothing = stats.periods.all.requests === 0 && view !== 'try';
    main.replaceChildren(...(nothing ? empty() : VIEWS[view](stats)).flat(9).filter(Boolean));
    if (shown === view) {
      [...main.querySelectorAll('.pick, .turns')].forEach((node, at) => { node.scrollTop = scrolls[at] ?? 0; });
      if (key) main.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
    }
    shown = view;
    document.title = nothing ? 'Tersely' : `${share(stats.periods.all.tokens_saved, stats.periods.all.tokens_before)} saved · Tersely`;
    document.getElementById('foot').replaceChildren(`Tersely ${stats.tersely}${stats.mode ? `, ${stats.mode} mode` : ''}. Money is an estimate: the tokens that Tersely removed, at list prices. The history contains no request text.`);
  };

  const hear = (text) => {
    state.stats = JSON.parse(text);
    render();
    if (state.session && location.hash === '#sessions') refresh();
  };
  const refresh = async () => {
    const answer = await fetch(`/_tersely/session/${state.session}`).catch(() => null);
    if (answer?.ok) { state.turns = (await answer.json()).turns; render(); }
  };

  window.addEventListener('hashchange', () => { render(); window.scrollTo(0, 0); });
  const say = (kind, words) => { live.className = `live ${kind}`; if (live.textContent !== words) live.textContent = words; };
  const listen = () => {
    const events = new EventSource('/_tersely/live');
    events.onopen = () => say('on', 'live');
    events.onmessage = (event) => hear(event.data);
    events.onerror = () => {
      say('off', 'not connected');
      // A browser gives up after an answer that is none, as after a restart that forgot who was logged in.
      if (events.readyState === EventSource.CLOSED) setTimeout(async () => {
        const answer = await fetch('/stats').catch(() => null);
        if (answer?.status === 401) location.reload();
        else listen();
      }, 3000);
    };
  };
  listen();
})();
