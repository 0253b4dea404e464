// A workflow for the benchmark: a number of steps, each of which changes all keys of a state of a
// given size, or one of them.

const KEYS = 20

/** Values are generated in advance, so that only the engine is measured. */
const POOL = 64
const pools = new Map()

/** A state of about this many bytes. */
export function stateOf(bytes, n = 0) {
  return Object.fromEntries(Array.from({ length: KEYS }, (_, key) => [`key_${key}`, value(bytes, n + key * 7)]))
}

/** The keys that step `n` changes. */
export function changesOf(bytes, which, n) {
  if (which === 'all') return stateOf(bytes, n)
  const key = n % KEYS
  return { [`key_${key}`]: value(bytes, n + key * 7) }
}

/** Text that repeats as little as natural text does. */
function value(bytes, n) {
  const size = Math.floor(bytes / KEYS) - 12
  if (!pools.has(size))
    pools.set(
      size,
      Array.from({ length: POOL }, (_, seed) => text(size, seed)),
    )
  return pools.get(size)[n % POOL]
}

function text(size, seed) {
  let made = ''
  for (let part = 0; made.length < size; part++) made += Math.imul(seed * 7919 + part + 1, 2654435761).toString(36)
  return made.slice(0, size)
}

export const benchWorkflow = {
  kind: 'bench',
  version: 1,
  begin: created => ({ state: created.input.state, steps: created.input.steps, n: 0, lost: null }),
  evolve(work, event) {
    if (event.type === 'step.ended') {
      Object.assign(work.state, event.data.result)
      work.n++
    } else if (event.type === 'step.lost') work.lost = event.data.step
    else if (event.type === 'step.recovered') work.lost = null
    return work
  },
  decide(work) {
    if (work.lost !== null) return [{ do: 'recover', step: work.lost, effect: 'work', input: null }]
    if (work.n >= work.steps) return [{ do: 'end', status: 'completed', reason: 'done' }]
    return [{ do: 'step', step: `work@${work.n + 1}#1`, effect: 'work', input: null }]
  },
}

export function benchRun(bytes, steps) {
  return {
    kind: 'bench',
    title: 'bench',
    project: '/',
    cwd: '/',
    person: 'local',
    input: { state: stateOf(bytes), steps },
  }
}
