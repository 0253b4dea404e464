// A session of the demo agent that asks again and again, for benchmarks: answers its requests, and
// says when its menus were on the screen.
import { readFileSync, statSync } from 'node:fs'
import { sleep } from './daemon-home.mjs'

/** Starts it; the first prompt makes it ask `count` times. */
export function startAsking(home, name, count) {
  const steps = Array.from({ length: count }, (_, index) => ({
    tool: { name: 'Shell', kind: 'shell', command: `true ${index}`, output: 'ok', ms: 300, permission: true },
  }))
  return home.startDemo(home.scenario(name, steps))
}

async function requestsOf(home, session) {
  const { items } = await home.get('/approvals?all')
  return items.filter(({ subject }) => subject.session === session.id)
}

/**
 * Waits for the next request, and allows it after `pauseMs`: a person needs a moment, and the menu
 * must have been shown for one. `onAsked` runs before that.
 */
export async function approveNext(home, session, { pauseMs, onAsked }) {
  await home.get(`/sessions/${session.id}/wait?for=approval&timeoutMs=60000`)
  await onAsked?.()
  const approval = (await requestsOf(home, session)).find(({ state }) => state === 'pending')
  await sleep(pauseMs)
  const decided = await home.post(`/approvals/${approval.id}/decision`, {
    fingerprint: approval.fingerprint,
    option: approval.request.options.find(({ meaning }) => meaning === 'allow-once').key,
    seen: { displayHash: approval.display.hash, whole: true },
    idempotencyKey: approval.id,
    actor: { id: 'bench', name: 'bench' },
    waitMs: 20_000,
  })
  if (decided.state !== 'applied')
    throw new Error(`${approval.id} is ${decided.state}: ${decided.reason ?? JSON.stringify(decided).slice(-300)}`)
}

/**
 * Each request with the time of its menu. A menu is on screen when its bytes reach the keeper: the
 * recording has that time.
 */
export async function requestsWithMenus(home, session) {
  const startedAt = statSync(session.recording).birthtimeMs
  const shown = readFileSync(session.recording, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(([, code, data]) => code === 'o' && data.includes('May I run'))
    .map(([t]) => startedAt + t * 1000)
  return (await requestsOf(home, session)).map(({ id, requestedAt }) => {
    const requested = Date.parse(requestedAt)
    return { id, requested, menu: Math.max(...shown.filter(at => at <= requested + 1)) }
  })
}

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

export function percentiles(values) {
  const at = part => percentile(values, part).toFixed(0)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms (${values.length})`
}
